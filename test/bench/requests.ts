import { subscribe } from 'node:diagnostics_channel';
import pg from 'pg';

/** What a process has asked of servers since it started. */
export interface Requests {
  /** By `<store> <what>`, as in `s3 PUT`, `qdrant PUT /points`, `postgres insert`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Counts from now on: S3 goes through node:http, Qdrant through fetch, PostgreSQL through its driver. */
export function countRequests(): () => Requests {
  const counts: Record<string, number> = {};
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  subscribe('http.client.request.start', (message) => {
    count(`s3 ${(message as { request: { method: string } }).request.method}`);
  });
  subscribe('undici:request:create', (message) => {
    const { method, path } = (message as { request: { method: string; path: string } }).request;
    const what = /\/collections\/[^/?]+(\/[^?]*)?/.exec(path)?.[1];
    if (what !== undefined) count(`qdrant ${method} ${what}`);
  });
  const query = pg.Client.prototype.query as (this: pg.Client, ...given: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [first] = given;
    const text = typeof first === 'string' ? first : (first as { text?: string }).text;
    count(`postgres ${(text ?? 'other').trim().split(/\s/, 1).join('').toLowerCase()}`);
    return query.apply(this, given);
  } as typeof pg.Client.prototype.query;
  return () => ({ counts: { ...counts } });
}
