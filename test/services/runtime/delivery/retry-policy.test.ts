import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../services/domain/errors.js';
import {
  backoffMs,
  isIsolated,
  judge,
  type FailureHistory,
} from '../../../../services/runtime/delivery/retry-policy.js';
import { defaultDeliverySettings as settings } from '../../../../services/runtime/delivery/settings.js';

const history = (change: Partial<FailureHistory> = {}): FailureHistory => ({
  unexpected: 0,
  attempts: 1,
  unavailableSince: undefined,
  othersPassed: false,
  ...change,
});
const judged = (thrown: unknown, change: Partial<FailureHistory> = {}, request = false) =>
  judge(thrown, history(change), { settings, request, random: 0.5 });

describe('retry policy', () => {
  it('doubles from 0.2 s up to 30 s, anywhere below that', () => {
    expect([1, 2, 3, 8, 9, 50].map((attempt) => backoffMs(attempt, settings, 1))).toEqual([
      200, 400, 800, 25_600, 30_000, 30_000,
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, random) => {
          const wait = backoffMs(attempt, settings, random);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThan(30_000);
        },
      ),
    );
  });

  it('never gives up an outage, and honours Retry-After beyond its own limit', () => {
    const outage = new SluiceError('unavailable', 'down');
    expect(judged(outage, { attempts: 10_000, unexpected: 0 })).toEqual({ retryInMs: 15_000 });
    const later = new SluiceError('unavailable', 'later', { retryAfterMs: 90_000 });
    expect(judged(later)).toEqual({ retryInMs: 90_000 });
    const sooner = new SluiceError('unavailable', 'soon', { retryAfterMs: 1 });
    expect(judged(sooner)).toEqual({ retryInMs: 100 });
  });

  it('gives up at once what is terminal, and anything else after five attempts', () => {
    expect(judged(new SluiceError('invalid-document', 'no pdf'))).toBe('final');
    for (const thrown of [new Error('bug'), new SluiceError('invalid-response', 'odd'), 'text', undefined, null]) {
      expect(judged(thrown, { attempts: 4, unexpected: 4 })).not.toBe('final');
      expect(judged(thrown, { attempts: 5, unexpected: 5 })).toBe('final');
    }
  });

  it('tries a request three times, whatever the error', () => {
    const outage = new SluiceError('unavailable', 'down');
    expect(judged(outage, { attempts: 2 }, true)).not.toBe('final');
    expect(judged(outage, { attempts: 3 }, true)).toBe('final');
  });

  it('takes an outage for the message’s own after ten minutes in which others passed, but for a newer release it waits', () => {
    const since = 1_000;
    const late = since + 600_000;
    const isolated = (
      change: Partial<FailureHistory>,
      now: number,
      thrown: unknown = new SluiceError('unavailable', ''),
    ) => isIsolated(thrown, history({ unavailableSince: since, othersPassed: true, ...change }), settings, now);
    expect(isolated({}, late)).toBe(true);
    expect(isolated({}, late - 1)).toBe(false);
    expect(isolated({ othersPassed: false }, late * 100)).toBe(false);
    expect(isolated({}, late * 100, new SluiceError('newer-release', 'a kind of tomorrow'))).toBe(false);
  });
});
