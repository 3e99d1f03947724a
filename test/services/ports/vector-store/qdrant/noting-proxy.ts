import { once } from 'node:events';
import { createServer as createHttpServer, request, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';

/** A request that passed. */
export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly bytes: number;
}

export interface Proxy {
  readonly url: string;
  readonly passed: readonly Passed[];
  /** The most requests of a method and path that were under way at once. */
  readonly mostAtOnce: (method: string, path: RegExp) => number;
  close(): Promise<void>;
}

/** Passes every request on to a server and notes it; over HTTPS when it has a certificate. */
export async function startProxy(target: string, tls?: { key: string; cert: string }): Promise<Proxy> {
  const passed: Passed[] = [];
  const under: (Passed & { ended: boolean; beside: number })[] = [];
  const listener: RequestListener = (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const [method, path] = [incoming.method ?? '', incoming.url ?? ''];
      const noted = { method, path, bytes: body.length, ended: false, beside: 0 };
      const same = under.filter((each) => !each.ended && each.method === method && each.path === path);
      noted.beside = same.length + 1;
      under.push(noted);
      passed.push(noted);
      const { method: _, headers } = incoming;
      const call = request(target + path, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        answer.on('end', () => (noted.ended = true));
      });
      call.on('error', () => outgoing.destroy());
      call.end(body);
    });
  };
  const server: Server = tls === undefined ? createHttpServer(listener) : createHttpsServer(tls, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    passed,
    mostAtOnce: (method, path) =>
      Math.max(
        0,
        ...under.filter((each) => each.method === method && path.test(each.path)).map(({ beside }) => beside),
      ),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
