import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A call as the server received it. */
export interface Call {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export interface FaultyServer {
  readonly url: string;
  readonly calls: readonly Call[];
  /** How many callers went away before their answer had ended. */
  readonly left: () => number;
  close(): Promise<void>;
}

/** Answers a call, rightly or wrongly. */
export type Answer = (call: Call, response: ServerResponse) => void | Promise<void>;

/** A server that speaks the wire format and breaks it as `answer` wants. */
export async function startFaultyServer(answer: Answer): Promise<FaultyServer> {
  const calls: Call[] = [];
  let left = 0;
  const server = createServer((request, response) => {
    response.on('close', () => (left += response.writableFinished ? 0 : 1));
    void text(request).then(async (body) => {
      const call = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(body) as Record<string, unknown>,
      };
      calls.push(call);
      await answer(call, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    calls,
    left: () => left,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** An error as OpenAI words it. */
export const refuse = (
  response: ServerResponse,
  status: number,
  error: { readonly message: string; readonly param?: string; readonly code?: string },
  headers?: Record<string, string>,
): void =>
  json(response, status, { error: { type: 'invalid_request_error', param: null, code: null, ...error } }, headers);
