import type { Logger } from 'pino';
import { SluiceError } from '../../services/domain/errors.js';
import type { Principal } from '../access/api-keys.js';
import { sluiceError } from '../http/problem.js';
import { validator, type Validator } from '../http/validation.js';
import type { GatewayContext } from '../operations/context.js';
import { namedOperations, type NamedOperation } from '../operations/named.js';
import { BadFrame, readFrame, type ClientFrame, type FrameId } from './frames.js';

const validators = new Map<string, Validator>(
  Object.entries(namedOperations).map(([name, { params }]) => [name, validator(params, name)]),
);

export interface SessionOptions {
  readonly context: GatewayContext;
  readonly principal: Principal;
  /** Of the connection; a frame may name another one. */
  readonly workspace: string | undefined;
  readonly log: Pick<Logger, 'error'>;
  /** Resolves when the frame is on its way, so that a slow reader slows whoever makes frames. */
  send(frame: string): Promise<void>;
}

/** One connection: calls by id, side by side. Every id is answered; no frame, however bad, ends the session. */
export class Session {
  readonly #running = new Map<FrameId, AbortController>();

  constructor(private readonly options: SessionOptions) {}

  /** Takes a frame; what comes of it is sent. Never rejects. */
  async receive(text: string): Promise<void> {
    try {
      const frame = readFrame(text);
      if (frame.kind === 'cancel') this.#running.get(frame.id)?.abort(new Cancelled());
      else await this.#call(frame);
    } catch (error) {
      await this.#fail(error instanceof BadFrame ? error.frameId : null, error);
    }
  }

  /** The asker has left, or the server stops. */
  end(reason: SluiceError): void {
    for (const controller of this.#running.values()) controller.abort(reason);
  }

  async #call(frame: Extract<ClientFrame, { kind: 'call' }>): Promise<void> {
    const { id } = frame;
    if (this.#running.has(id)) {
      throw new BadFrame(null, `id ${JSON.stringify(id)} is in flight: use another one, or wait for its answer`);
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const operation = this.#operation(frame);
      const caller = this.options.principal.caller(frame.workspace ?? this.options.workspace);
      const call = { caller, signal: controller.signal };
      if ('run' in operation) {
        const result = await operation.run(this.options.context, call, frame.params);
        await this.#send({ id, result: result ?? null });
      } else await this.#stream(id, operation.stream(this.options.context, call, frame.params));
    } catch (error) {
      if (controller.signal.reason instanceof Cancelled) await this.#send({ id, cancelled: true });
      else await this.#fail(id, error);
    } finally {
      this.#running.delete(id);
    }
  }

  #operation({ id, method, params }: Extract<ClientFrame, { kind: 'call' }>): NamedOperation {
    if (this.#running.size > this.options.context.config.maxRequestsPerSocket) {
      throw new SluiceError('unavailable', 'too many requests are in flight on this socket: wait for some answers');
    }
    const operation = Object.hasOwn(namedOperations, method) ? namedOperations[method] : undefined;
    if (operation === undefined) {
      const known = Object.keys(namedOperations).join(', ');
      throw new BadFrame(id, `there is no method ${JSON.stringify(method)}: use one of ${known}`);
    }
    const wrong = validators.get(method)?.(params);
    if (wrong !== undefined) throw wrong;
    return operation;
  }

  async #stream(id: FrameId, items: AsyncIterable<unknown>): Promise<void> {
    for await (const part of items) await this.#send({ id, part });
    await this.#send({ id, end: true });
  }

  #fail(id: FrameId | null, thrown: unknown): Promise<void> {
    const error = sluiceError(thrown);
    if (error.code === 'internal') this.options.log.error({ err: thrown }, 'a request on a socket failed');
    return this.#send({ id, error: { code: error.code, message: error.message } });
  }

  #send(frame: object): Promise<void> {
    return this.options.send(JSON.stringify(frame));
  }
}

class Cancelled extends Error {}
