import type { VersionRecord } from '../ports/catalog/port.js';

/**
 * Effects before fence: every stage reads the version's state before any cost and again after its durable write, so
 * that a late redelivery can neither resurrect a dead version nor hurt a live one.
 */

const aliveStates: ReadonlySet<string> = new Set(['pending', 'processing', 'failed', 'ready']);

/** Whether a version is still to be worked on. Dead (superseded, deleting, unknown): the message is done. */
export const isAlive = (version: VersionRecord | undefined): version is VersionRecord =>
  version !== undefined && aliveStates.has(version.state);

/**
 * What to do with a durable write now that it stands. `keep`: confirm it. `leave`: the version was superseded and its
 * purge will find the write; emit nothing. `remove`: the purge may have passed already, so delete exactly what this
 * message writes, also of an earlier attempt, and emit nothing.
 */
export function afterWrite(version: VersionRecord | undefined): 'keep' | 'leave' | 'remove' {
  if (version === undefined) return 'remove';
  if (aliveStates.has(version.state)) return 'keep';
  return version.state === 'superseded' && !version.purgeBegun ? 'leave' : 'remove';
}
