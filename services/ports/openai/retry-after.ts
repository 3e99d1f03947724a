/** Whoever is told to wait longer asks once in between: quotas are raised, and clocks go wrong. */
const longestMs = 3_600_000;

/**
 * How long a server wants to be left alone, in ms: `retry-after-ms`, or Retry-After in seconds or as a date (RFC 9110,
 * 10.2.3); undefined where it does not say. `now` is epoch ms.
 */
export function retryAfterMs(header: (name: string) => string | null | undefined, now: number): number | undefined {
  const precise = Number.parseFloat(header('retry-after-ms') ?? '');
  if (precise >= 0) return Math.min(precise, longestMs);
  const value = (header('retry-after') ?? '').trim();
  if (value === '') return undefined;
  const wait = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestMs);
}
