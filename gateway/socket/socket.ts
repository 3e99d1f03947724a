import websocket from '@fastify/websocket';
import type { WebSocket } from 'ws';
import { SluiceError } from '../../services/domain/errors.js';
import type { Authenticator } from '../access/api-keys.js';
import type { App } from '../http/type-provider.js';
import type { GatewayContext } from '../operations/context.js';
import { Session } from './session.js';

/** One WebSocket, many calls: `{id, method, params}` in; `{id, result}`, `{id, part}`, `{id, end}`, `{id, error}` out. */
export async function socketRoute(app: App, context: GatewayContext, authenticator: Authenticator): Promise<void> {
  await app.register(websocket, { options: { maxPayload: context.config.maxBodyBytes } });
  app.get('/socket', { websocket: true, schema: { hide: true } }, (socket, request) => {
    const session = new Session({
      context,
      principal: authenticator.authenticate(request.headers.authorization),
      workspace: request.call.caller.workspace,
      log: request.log,
      send: (frame) => sendFrame(socket, frame),
    });
    keepAlive(socket, context.config.heartbeatMs);
    socket.on('message', (data: Buffer) => {
      void session.receive(data.toString('utf8'));
    });
    socket.on('close', () => {
      session.end(new SluiceError('unavailable', 'the asker has left'));
    });
    socket.on('error', (error) => {
      request.log.debug({ err: error }, 'a socket broke');
    });
  });
}

/** Resolves also when the socket is gone: its session hears of that by itself. */
const sendFrame = (socket: WebSocket, frame: string): Promise<void> =>
  new Promise((resolve) => {
    socket.send(frame, () => {
      resolve();
    });
  });

/** Pings; a peer that has not answered the last ping is gone or reads nothing, and is cut off. */
function keepAlive(socket: WebSocket, heartbeatMs: number): void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const heartbeat = setInterval(() => {
    if (!answered) {
      socket.terminate();
      return;
    }
    answered = false;
    socket.ping();
  }, heartbeatMs);
  socket.once('close', () => {
    clearInterval(heartbeat);
  });
}
