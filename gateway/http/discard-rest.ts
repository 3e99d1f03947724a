import type { IncomingMessage } from 'node:http';

/** How long a sender may go on after its answer has gone out. */
const lingerMs = 5_000;

/**
 * Throws away what is still coming of a body that was refused, so that its sender can read why; if it goes on too long,
 * the connection ends. Without this the connection would stay, neither read nor closed.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.readableEnded || request.destroyed) return;
  request.unpipe();
  request.removeAllListeners('readable');
  request.resume();
  const end = setTimeout(() => request.destroy(), lingerMs);
  const done = (): void => {
    clearTimeout(end);
  };
  request.once('end', done);
  request.once('close', done);
}
