import { SluiceError } from '../../../services/domain/errors.js';
import type { OperationRecord } from '../../../services/ports/catalog/port.js';
import type { Operation } from '../../client/types.js';
import type { Call, GatewayContext } from '../context.js';
import { operationView } from '../views/document.js';

/** How often the row is read although no event came: an event may be lost, the row is not. */
const readAgainMs = 10_000;

export interface OperationRequest {
  readonly operation_id: string;
}

/** How an operation stands. Throws not-found, also for another workspace's. */
export async function getOperation(
  context: GatewayContext,
  call: Call,
  { operation_id }: OperationRequest,
): Promise<Operation> {
  const operation = await context.ports.catalog.operation(operation_id);
  if (operation?.workspace === call.caller.workspace) return operationView(operation);
  throw new SluiceError('not-found', `there is no operation "${operation_id}" in the caller's workspace`);
}

export const isSettled = ({ state }: Pick<OperationRecord, 'state'>): boolean => state !== 'accepted';

/**
 * How an operation stands once it has ended, or after `timeout_ms` (at most the server's maxWaitMs): that ends the wait,
 * never the work. It listens for events and reads the row, so it needs nothing that a restart would lose.
 */
export async function waitForOperation(
  context: GatewayContext,
  call: Call,
  request: OperationRequest & { readonly timeout_ms?: number },
): Promise<Operation> {
  const deadline = Date.now() + Math.min(request.timeout_ms ?? Infinity, context.config.maxWaitMs);
  const bell = new Bell();
  const stopListening = context.events.onOperation(request.operation_id, () => {
    bell.ring();
  });
  try {
    for (;;) {
      const operation = await getOperation(context, call, request);
      const remainingMs = deadline - Date.now();
      if (isSettled(operation) || remainingMs <= 0) return operation;
      await bell.heard(Math.min(remainingMs, readAgainMs), call.signal);
    }
  } finally {
    stopListening();
  }
}

/** Remembers that it rang, so that what happens between two waits is not missed. */
class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Until it has rung since the last time, or the time is over. Throws the reason of an aborted signal. */
  async heard(timeoutMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#wake = wake;
        signal.addEventListener('abort', wake, { once: true });
      });
    }
    this.#rung = false;
    signal.throwIfAborted();
  }
}
