import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage } from 'node:http';

/** What becomes of one request: passed on, answered in the server's place, never answered, or broken off. */
export type Fault =
  | { readonly answer: { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string } }
  | { readonly silent: true }
  /** Passed on, but the connection breaks after so many bytes of the answer's body; with 0 nothing is answered. */
  | { readonly cutAfterBytes: number };

export interface FaultyProxy {
  readonly url: string;
  /** Asked before each request; undefined passes it on. */
  decide: (request: IncomingMessage) => Fault | undefined;
  stop(): Promise<void>;
}

/** An HTTP proxy in front of a real server, for what servers and networks do to requests on bad days. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const fault = proxy.decide(incoming);
    if (fault !== undefined && 'silent' in fault) return;
    if (fault !== undefined && 'answer' in fault) {
      incoming.resume().once('end', () => {
        outgoing.writeHead(fault.answer.status, fault.answer.headers).end(fault.answer.body);
      });
      return;
    }
    const { method, url, headers } = incoming;
    const sent = forward({ hostname, port, method, path: url, headers, agent: false }, (answer) => {
      if (fault?.cutAfterBytes === 0) {
        incoming.socket.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      let left = fault?.cutAfterBytes ?? Infinity;
      answer.on('data', (bytes: Buffer) => {
        const part = bytes.subarray(0, left);
        left -= part.length;
        outgoing.write(part, () => {
          if (left === 0) incoming.socket.destroy();
        });
      });
      answer.on('end', () => outgoing.end());
    });
    sent.on('error', () => incoming.socket.destroy());
    incoming.on('error', () => sent.destroy());
    incoming.pipe(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${address.port}`,
    decide: () => undefined,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
