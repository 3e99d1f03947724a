import { Duplex } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { PgliteRequest } from './pglite-worker.js';

/**
 * The one connection to the PostgreSQL in a thread, as the driver wants it: a stream of wire-protocol bytes that looks
 * like a socket. The driver writes a statement's messages together, so one message to the thread is one statement.
 */
export class PgliteConnection extends Duplex {
  readonly #receive = (bytes: Uint8Array): void => {
    this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  };
  readonly #ended = (): void => {
    this.destroy(new Error('Connection terminated: the thread of the embedded PostgreSQL has ended'));
  };

  constructor(readonly worker: Worker) {
    super();
    worker.on('message', this.#receive);
    worker.once('exit', this.#ended);
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // The thread answers when it is asked; nothing is ahead of the reader.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send(new Uint8Array(chunk));
    done();
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this.#send(new Uint8Array(Buffer.concat(chunks.map(({ chunk }) => chunk))));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.worker.off('message', this.#receive);
    this.worker.off('exit', this.#ended);
    done(error);
  }

  #send(bytes: PgliteRequest): void {
    this.worker.postMessage(bytes);
  }
}
