import { SluiceApiError } from './error.js';
import type { SluiceClientOptions } from './options.js';

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface HttpCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/sluice/v1`, its parts already encoded. */
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly bytes?: Uint8Array | Blob | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
  /** Streams have none: they live as long as they are read. */
  readonly timeoutMs?: number | undefined;
}

/** One path part that may hold any characters. */
export const part = (text: string): string => encodeURIComponent(text);

/**
 * fetch keeps a copy of a streamed body for a redirect that may come, all of it in memory, unless it is told that none
 * is to be followed and that there is no window.
 */
const sentOnce = { duplex: 'half', redirect: 'error', window: null } as const;

/** Sends one call, and turns what is not an answer into SluiceApiError. */
export class Transport {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: SluiceClientOptions) {
    this.#base = `${options.url.replace(/\/+$/, '')}/sluice/v1`;
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#headers = {
      ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      ...(options.workspace === undefined ? {} : { 'x-sluice-workspace': options.workspace }),
    };
  }

  /** The response of a call that succeeded (2xx). */
  async send(call: HttpCall): Promise<Response> {
    const timeout = call.timeoutMs === undefined ? undefined : AbortSignal.timeout(call.timeoutMs);
    const signals = [call.signal, timeout].filter((signal) => signal !== undefined);
    try {
      const response = await this.#fetch(this.#url(call), {
        method: call.method,
        headers: {
          ...this.#headers,
          ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
          ...call.headers,
        },
        ...(call.json === undefined ? {} : { body: JSON.stringify(call.json) }),
        ...(call.bytes === undefined ? {} : { body: call.bytes, ...sentOnce }),
        ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      });
      if (response.ok) return response;
      throw await problemOf(response);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof SluiceApiError) throw error;
      if (timeout?.aborted === true) throw timedOut(call, call.timeoutMs);
      throw this.#unreachable(error);
    }
  }

  async json<T>(call: HttpCall): Promise<T> {
    const response = await this.send(call);
    try {
      return (await response.json()) as T;
    } catch (error) {
      call.signal?.throwIfAborted();
      throw new SluiceApiError('unreachable', 0, `the answer of ${this.#base} broke off: ${causeOf(error)}`, {
        cause: error,
      });
    }
  }

  #url(call: HttpCall): string {
    const url = new URL(this.#base + call.path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value === undefined) continue;
      for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(item));
    }
    return url.href;
  }

  #unreachable(error: unknown): SluiceApiError {
    const where = this.#base.replace(/\/sluice\/v1$/, '');
    const what = `no Sluice server answers at ${where} (${causeOf(error)})`;
    return new SluiceApiError('unreachable', 0, `${what}: start one with "sluice serve", or give another URL`, {
      cause: error,
    });
  }
}

const timedOut = (call: HttpCall, timeoutMs: number | undefined): SluiceApiError =>
  new SluiceApiError('deadline-exceeded', 0, `${call.method} ${call.path} had no answer within ${timeoutMs} ms`);

/** fetch hides the reason in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof Error ? error.cause : error;
  return 'code' in inner && typeof inner.code === 'string' ? inner.code : inner.message;
}

async function problemOf(response: Response): Promise<SluiceApiError> {
  const text = await response.text().catch(() => '');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const options = Number.isFinite(retryAfter) ? { retryAfterMs: retryAfter * 1_000 } : {};
  try {
    const { code, detail } = JSON.parse(text) as { code?: unknown; detail?: unknown };
    if (typeof code === 'string' && typeof detail === 'string') {
      return new SluiceApiError(code, response.status, detail, options);
    }
  } catch {
    // not a problem document: a proxy answered, or something that is not Sluice
  }
  const what = `${response.url} answered ${response.status} ${response.statusText}: ${text.slice(0, 200)}`;
  return new SluiceApiError(
    response.status === 503 ? 'unavailable' : 'invalid-response',
    response.status,
    what,
    options,
  );
}
