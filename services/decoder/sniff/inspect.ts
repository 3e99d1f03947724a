import { SluiceError } from '../../domain/errors.js';
import type { Format } from '../decode.js';
import { Characters } from './characters.js';
import { encodingOfHead, known, Utf8Check, type Encoding } from './encoding.js';
import { declaredCharset, formatOf, mediaType, type Hints } from './format.js';
import { binaryKind, looksBinary } from './signatures.js';

export interface Inspected {
  readonly format: Format;
  readonly encoding: Encoding;
  /** The first characters, decoded. */
  readonly beginning: string;
}

const headBytes = 65_536;

/**
 * Finds out what a document is. Reads its head, and the rest only as long as it is UTF-8: whether it is can be told at
 * its end alone. `detect` is asked about a sample with bytes that are not. Throws unsupported-format for what no
 * decoder takes, naming what it seems to be; invalid-document for bytes that deny their type.
 */
export async function inspect(
  source: AsyncIterable<Buffer>,
  hints: Hints,
  detect: (sample: Buffer) => Promise<Encoding>,
): Promise<Inspected> {
  let head: Buffer = Buffer.alloc(0);
  let proven: Encoding | undefined;
  let strange: Buffer | undefined;
  const check = new Utf8Check();
  let position = 0;
  let last: Buffer = head;
  for await (const chunk of source) {
    if (head.length < headBytes) {
      head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)]);
      proven = encodingOfHead(head);
    }
    if (proven === undefined && strange === undefined && !check.accepts(chunk)) {
      strange = sampleOf(head, chunk, position);
    }
    position += chunk.length;
    last = chunk;
    if (head.length >= headBytes && (proven ?? strange) !== undefined) break;
  }
  refuseBinary(head, proven, hints);
  if (check.incomplete) strange ??= sampleOf(head, last, position - last.length);

  const encoding = proven ?? (strange === undefined ? utf8 : (declared(head, hints) ?? (await detect(strange))));
  const beginning = new Characters(encoding.name).next(head, false);
  return { format: formatOf(beginning, hints), encoding, beginning };
}

const utf8: Encoding = { name: 'utf-8', source: 'utf-8' };

/** The bytes around the first that is not ASCII: enough for statistics, without the cost of a megabyte. */
function sampleOf(head: Buffer, chunk: Buffer, position: number): Buffer {
  const first = Math.max(
    0,
    chunk.findIndex((byte) => byte >= 0x80),
  );
  if (position + first < headBytes) return head;
  return Buffer.from(chunk.subarray(Math.max(0, first - 1024), first + headBytes));
}

function refuseBinary(head: Buffer, proven: Encoding | undefined, hints: Hints): void {
  const kind = binaryKind(head);
  if (kind === undefined && (proven !== undefined || !looksBinary(head))) return;
  const type = mediaType(hints.contentType);
  const seems = kind ?? (type === '' ? 'an unknown binary file' : `an unknown binary file (given as ${type})`);
  throw new SluiceError(
    'unsupported-format',
    `the document seems to be ${seems}; Sluice decodes Markdown, HTML and plain text: convert it to one of these`,
  );
}

/** The charset that the content type names, or the beginning of an HTML document. */
function declared(head: Buffer, { contentType }: Hints): Encoding | undefined {
  const inHtml = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(
    head.subarray(0, 4096).toString('latin1'),
  )?.[1];
  const label = declaredCharset(contentType) ?? inHtml;
  const name = label === undefined ? undefined : known(label);
  // The bytes are known not to be UTF-8, and a mark would have told UTF-16.
  return name === undefined || name.startsWith('utf-') ? undefined : { name, source: 'declared' };
}
