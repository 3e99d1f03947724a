/** How messages are fetched, retried and committed, for every processor alike. */
export interface DeliverySettings {
  /** Fetched messages that are not yet handled may weigh this much per processor; then fetching pauses. */
  readonly maxFetchedBytes: number;
  /** Offsets of finished messages wait this long to be committed together. */
  readonly commitIntervalMs: number;
  /** The first retry comes within this time, the next within twice as long, and so on. */
  readonly firstRetryMs: number;
  /** No retry waits longer. */
  readonly maxRetryMs: number;
  /** How often a message is tried whose error is neither final nor an outage. */
  readonly maxAttempts: number;
  /** How often a request is tried: its asker rather hears of an error than waits. */
  readonly maxRequestAttempts: number;
  /** A message that alone meets an outage for this long, while others like it pass, is taken for the cause. */
  readonly isolatedAfterMs: number;
  /** An aborted handler that does not return within this time loses its slot; what it returns later is discarded. */
  readonly abandonAfterMs: number;
  /** The loop counts as dead if it has not run for this long. */
  readonly sessionTimeoutMs: number;
}

export const defaultDeliverySettings: DeliverySettings = {
  maxFetchedBytes: 32 * 1024 * 1024,
  commitIntervalMs: 50,
  firstRetryMs: 200,
  maxRetryMs: 30_000,
  maxAttempts: 5,
  maxRequestAttempts: 3,
  isolatedAfterMs: 600_000,
  abandonAfterMs: 2_000,
  sessionTimeoutMs: 30_000,
};
