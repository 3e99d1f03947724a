import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { SluiceApiError, type SluiceApi } from '../../gateway/client/client.js';
import { packageDocuments } from '../bench/documents.js';

/** An error that tells a caller to come again: the gateway is away, or says that something else is. */
export function expectLater(error: unknown): void {
  expect(error).toBeInstanceOf(SluiceApiError);
  if (error instanceof SluiceApiError) {
    expect(['unreachable', 'unavailable', 'answer-interrupted', 'deadline-exceeded']).toContain(error.code);
  }
}

/** Puts documents until told to stop, each until it is durable, with pauses; `put` has the bodies by id. */
export function keepLoading(client: SluiceApi, { pauseMs = 0 } = {}) {
  const put = new Map<string, string>();
  const stopping = new AbortController();
  const loading = (async () => {
    for (const { id, body } of packageDocuments()) {
      if (stopping.signal.aborted) break;
      for (;;) {
        try {
          await client.putDocument({ collection: 'default', document_id: id, body, content_type: 'text/markdown' });
          break;
        } catch (error) {
          expectLater(error);
          await delay(100);
        }
      }
      put.set(id, body);
      if (pauseMs > 0) await delay(pauseMs);
    }
    return put;
  })();
  loading.catch(() => undefined); // it is heard when it is stopped
  return {
    put,
    /** What has to come true while documents are put; rejects as soon as a put fails for good. */
    during: <T>(happening: Promise<T>): Promise<T> =>
      Promise.race([happening, loading.then(() => new Promise<never>(() => undefined))]),
    stop: (): Promise<ReadonlyMap<string, string>> => {
      stopping.abort();
      return loading;
    },
  };
}
