import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../../../services/ports/vector-store/qdrant/refusal.js';
import { retried } from '../../../../../services/ports/vector-store/qdrant/retry.js';

describe('retries', () => {
  const policy = { maxAttempts: 3, maxRetryAfterMs: 1_000 };

  it('ends after as many attempts as are allowed, with the last error', async () => {
    let attempts = 0;
    const attempt = (): Promise<never> => Promise.reject(new Error(`attempt ${++attempts}`));
    await expect(retried(attempt, () => ({}), policy)).rejects.toThrow('attempt 3');
  });

  it('does not repeat what cannot be put right, nor wait longer than is allowed', async () => {
    for (const verdict of ['no', { retryAfterMs: 1_001 }] as const) {
      let attempts = 0;
      const attempt = (): Promise<never> => Promise.reject(new Error(`attempt ${++attempts}`));
      await expect(retried(attempt, () => verdict, policy)).rejects.toThrow('attempt 1');
    }
  });

  it('ends in the middle of a wait when the caller leaves', async () => {
    const caller = new AbortController();
    const attempt = (): Promise<never> => {
      setImmediate(() => caller.abort(new Error('left')));
      return Promise.reject(new Error('busy'));
    };
    const waiting = retried(
      attempt,
      () => ({ retryAfterMs: 60_000 }),
      { ...policy, maxRetryAfterMs: 60_000 },
      caller.signal,
    );
    await expect(waiting).rejects.toThrow('left');
  });

  it('reads Retry-After as seconds or as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(parseRetryAfter('12', now)).toBe(12_000);
    expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30_000);
    expect(parseRetryAfter('Thu, 01 Jan 2020 00:00:00 GMT', now)).toBe(0);
    expect(parseRetryAfter('soon', now)).toBeUndefined();
  });
});
