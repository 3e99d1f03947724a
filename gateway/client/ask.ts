import { SluiceApiError } from './error.js';
import { withRetries } from './retry.js';
import { serverSentEvents } from './server-sent-events.js';
import type { Transport } from './transport.js';
import type { AskPart, AskRequest } from './types.js';

/** An answer as it is made. Ends after its end part; anything else is an error, never silence. */
export async function* streamAnswer(
  transport: Transport,
  maxRetries: number,
  request: AskRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<AskPart> {
  const leaving = new AbortController();
  const both = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]);
  try {
    const headers = { accept: 'text/event-stream' };
    const response = await withRetries(maxRetries, signal, () =>
      transport.send({ method: 'POST', path: '/ask', json: request, headers, signal: both }),
    );
    for await (const { event, data } of serverSentEvents(response)) {
      if (event === 'error') throw answerError(data);
      const part = JSON.parse(data) as AskPart;
      yield part;
      if (part.kind === 'end') return;
    }
    throw interrupted('the connection ended');
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof SluiceApiError ? error : interrupted(error instanceof Error ? error.message : String(error));
  } finally {
    leaving.abort();
  }
}

function answerError(data: string): SluiceApiError {
  const { code, detail, status } = JSON.parse(data) as { code: string; detail: string; status: number };
  return new SluiceApiError(code, status, detail);
}

const interrupted = (reason: string): SluiceApiError =>
  new SluiceApiError('answer-interrupted', 0, `the answer broke off before its end (${reason}): ask again`);
