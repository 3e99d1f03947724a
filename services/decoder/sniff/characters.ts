import { TextDecoder } from 'node:util';

/** What windows-1252 has at 0x80 to 0x9f; Node 20 decodes these bytes as Latin-1 controls. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Decodes a stream of bytes, without a byte order mark; what is no character becomes U+FFFD. */
export class Characters {
  readonly #decoder: TextDecoder;

  constructor(readonly encoding: string) {
    this.#decoder = new TextDecoder(encoding);
  }

  next(bytes: Uint8Array, final: boolean): string {
    const text = this.#decoder.decode(bytes, { stream: !final });
    if (this.encoding !== 'windows-1252') return text;
    return text.replace(/[\x80-\x9f]/g, (control) => windows1252[control.charCodeAt(0) - 0x80] ?? control);
  }
}
