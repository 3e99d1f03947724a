import type { FastifyRequest } from 'fastify';
import { SluiceError } from '../../services/domain/errors.js';
import type { Authenticator } from '../access/api-keys.js';
import { checkHostAndOrigin } from '../access/loopback.js';
import type { Call } from '../operations/context.js';
import type { App } from './type-provider.js';

/** How long aborted calls have at shutdown to answer that they were. */
const farewellMs = 2_000;

const nobody: Call = { caller: { workspace: '', local: false }, signal: AbortSignal.abort() };

/**
 * Gives every request its caller and a signal that is aborted when the asker leaves or the server stops, or refuses it.
 * At shutdown every call in flight ends with `unavailable`; then all connections are closed, so that neither an open
 * stream nor an idle client holds the process.
 */
export function admitCalls(app: App, authenticator: Authenticator, hasKeys: boolean): void {
  const inFlight = new Set<AbortController>();
  let stopped: (() => void) | undefined;
  app.decorateRequest('call');
  app.addHook('onRequest', (request, reply, done) => {
    request.call = nobody;
    const upgrades = request.headers.upgrade !== undefined;
    // Node has let go of the connection of an upgrade: one that is refused would stay open for ever.
    if (upgrades) reply.raw.once('finish', () => request.raw.socket.destroySoon());
    if (!hasKeys) checkHostAndOrigin(request.headers.host, request.headers.origin);
    if (request.routeOptions.config.public !== true) {
      const principal = authenticator.authenticate(request.headers.authorization);
      const caller = principal.caller(wantedWorkspace(request));
      if (stopped !== undefined) throw stopping();
      const controller = new AbortController();
      if (!upgrades) inFlight.add(controller); // a socket's calls are its session's to end
      reply.raw.once('close', () => {
        inFlight.delete(controller);
        controller.abort(new SluiceError('unavailable', 'the asker has left'));
        if (inFlight.size === 0) stopped?.();
      });
      request.call = { caller, signal: controller.signal };
    }
    done();
  });
  app.addHook('preClose', async () => {
    const lastAnswered = new Promise<void>((resolve) => (stopped = resolve));
    for (const controller of inFlight) controller.abort(stopping());
    if (inFlight.size > 0) await Promise.race([lastAnswered, timeout(farewellMs)]);
    app.server.closeAllConnections();
  });
}

const timeout = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });

function wantedWorkspace({ headers, query }: FastifyRequest): string | undefined {
  const inHeader = headers['x-sluice-workspace'];
  const inQuery = typeof query === 'object' && query !== null && 'workspace' in query ? query.workspace : undefined;
  const wanted = inHeader ?? inQuery;
  if (wanted === undefined || typeof wanted === 'string') return wanted;
  throw new SluiceError('invalid-argument', 'a request speaks for one workspace');
}

const stopping = (): SluiceError => new SluiceError('unavailable', 'the server is stopping: try again in a moment');
