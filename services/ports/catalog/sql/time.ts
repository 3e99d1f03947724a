/**
 * The catalog's clock. Cut to milliseconds, which is what a Date holds: a search that starts in the millisecond of a
 * swap must not find that the swap, a few microseconds before, lies in its future.
 */
export const clock = `date_trunc('milliseconds', clock_timestamp())`;
