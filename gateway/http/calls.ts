import type { FastifyReply, FastifyRequest } from 'fastify';
import { SluiceError } from '../../services/domain/errors.js';
import type { Authenticator } from '../access/api-keys.js';
import { checkHostAndOrigin } from '../access/loopback.js';
import type { Call } from '../operations/context.js';
import type { App } from './type-provider.js';

/** The calls in flight: closing ends them all. */
export interface Calls {
  abortAll(): void;
}

const nobody: Call = { caller: { workspace: '', local: false }, signal: AbortSignal.abort() };

/** Gives every request its caller and a signal that is aborted when the asker leaves, or refuses it. */
export function admitCalls(app: App, authenticator: Authenticator, hasKeys: boolean): Calls {
  const inFlight = new Set<AbortController>();
  app.decorateRequest('call', null as unknown as Call);
  app.addHook('onRequest', (request, reply, done) => {
    request.call = nobody;
    if (!hasKeys) checkHostAndOrigin(request.headers.host, request.headers.origin);
    if (request.routeOptions.config.public !== true) {
      const principal = authenticator.authenticate(request.headers.authorization);
      const controller = new AbortController();
      inFlight.add(controller);
      onLeave(request, reply, () => {
        inFlight.delete(controller);
        controller.abort(left());
      });
      request.call = { caller: principal.caller(wantedWorkspace(request)), signal: controller.signal };
    }
    done();
  });
  return {
    abortAll: () => {
      for (const controller of inFlight) controller.abort(stopping());
    },
  };
}

/** The connection of a WebSocket outlives its request's response. */
function onLeave(request: FastifyRequest, reply: FastifyReply, leave: () => void): void {
  if (request.headers.upgrade?.toLowerCase() === 'websocket') request.raw.socket.once('close', leave);
  else reply.raw.once('close', leave);
}

function wantedWorkspace({ headers, query }: FastifyRequest): string | undefined {
  const inHeader = headers['x-sluice-workspace'];
  const inQuery = typeof query === 'object' && query !== null && 'workspace' in query ? query.workspace : undefined;
  const wanted = inHeader ?? inQuery;
  if (wanted === undefined || typeof wanted === 'string') return wanted;
  throw new SluiceError('invalid-argument', 'a request speaks for one workspace');
}

const left = (): SluiceError => new SluiceError('unavailable', 'the asker has left');
const stopping = (): SluiceError => new SluiceError('unavailable', 'the server is stopping: try again in a moment');
