import { QdrantClient } from '@qdrant/js-client-rest';
import { Agent, DecoratorHandler, type Dispatcher } from 'undici';

/** How a server is reached. */
export interface ConnectionOptions {
  readonly url: string;
  readonly apiKey?: string;
  /** Certificates (PEM) to trust instead of Node's. */
  readonly ca?: string;
}

/** The header under which an answer's Retry-After comes back. */
export const keptRetryAfter = 'x-kept-retry-after';

/**
 * The SDK reads the first character of a Retry-After and loses the rest together with the status; under another name it
 * leaves the header alone, and its error has both.
 */
class KeepRetryAfter extends DecoratorHandler {
  constructor(private readonly inner: Dispatcher.DispatchHandlers) {
    super(inner);
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void, statusText: string): boolean {
    const kept = headers.map((field, at) =>
      at % 2 === 0 && field.toString('latin1').toLowerCase() === 'retry-after' ? Buffer.from(keptRetryAfter) : field,
    );
    return this.inner.onHeaders?.(status, kept, resume, statusText) ?? true;
  }
}

/** A server's operations as the SDK has them, the connections that they go through, and where that is. */
export function connect({ url, apiKey, ca }: ConnectionOptions): {
  readonly api: ReturnType<QdrantClient['api']>;
  readonly agent: Agent;
  /** What every request needs beside its signal. */
  readonly init: Pick<RequestInit, 'dispatcher'>;
} {
  const { origin, pathname } = new URL(url);
  // The URL's parser drops 443 and 80, and the SDK takes a URL without a port for one with 6333.
  const port = /^https?:\/\/[^/]*:(\d+)(?:\/|$)/.exec(url)?.[1];
  const client = new QdrantClient({
    url: origin,
    port: port === undefined ? 6333 : Number(port),
    prefix: pathname.replace(/\/+$/, ''),
    // As a header: with `apiKey` the SDK writes a warning to the console when there is no TLS.
    ...(apiKey === undefined || apiKey === '' ? {} : { headers: { 'api-key': apiKey } }),
    // Without a finite time-out the SDK leaves the signal of a request alone, and time-outs are its caller's.
    timeout: Infinity,
    checkCompatibility: false,
  });
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, ...(ca === undefined ? {} : { connect: { ca } }) });
  const dispatcher = agent.compose((dispatch) => (options, handler) => dispatch(options, new KeepRetryAfter(handler)));
  // Two descriptions of one type: that of the package, and that of the copy in Node.
  const init = { dispatcher: dispatcher as unknown as NonNullable<RequestInit['dispatcher']> };
  return { api: client.api(), agent, init };
}
