import type { CommandOf } from './command.js';
import type { Draft } from './draft.js';
import { inFlight } from './state.js';

/**
 * Deletes the versions that there are, and only those: a submit that follows makes the next number at once. Reads stop
 * now; the operation ends when the last of them is purged.
 */
export function deleteDocument(draft: Draft, command: CommandOf<'delete'>): void {
  const upTo = command.upTo ?? draft.state.lastVersion;
  const operations = command.operation === null ? [] : [command.operation];
  const covered = draft.state.versions.filter((version) => version.version <= upTo);
  for (const version of covered) {
    if (version.state === 'deleting') {
      if (operations.length > 0) draft.change(version, { operations: [...version.operations, ...operations] });
      continue;
    }
    const ended =
      inFlight(version) || version.behind !== null
        ? draft.endOperations(version, 'stale', {
            code: 'ingest-interrupted',
            reason: `version ${version.version} was deleted before it was ready`,
          })
        : version;
    const deleting = draft.change(ended, {
      state: 'deleting',
      purgeBegun: true,
      behind: null,
      supersededAt: version.supersededAt ?? draft.now,
      operations,
    });
    if (!version.purgeBegun) draft.effect({ kind: 'purge', version: deleting });
  }
  if (covered.length === 0 && command.operation !== null) draft.outcome(command.operation, 'deleted');
}

/** A superseded version that no running answer can need any more; a purge that was begun is asked for once more. */
export function purgeDue(draft: Draft, command: CommandOf<'purge-due'>): void {
  const version = draft.version(command.version);
  if (version?.state !== 'superseded' && version?.state !== 'deleting') return;
  const begun = version.purgeBegun ? version : draft.change(version, { purgeBegun: true });
  draft.effect({ kind: 'purge', version: begun });
}

/** Nothing of the version is left but its row. Deletions end with the last version that they cover. */
export function purged(draft: Draft, command: CommandOf<'purged'>): void {
  const version = draft.version(command.version);
  if (version === undefined || !version.purgeBegun) return;
  draft.remove(version);
  for (const operation of version.operations) {
    const pending = draft.state.versions.some((other) => other.operations.includes(operation));
    if (!pending) draft.outcome(operation, 'deleted', { version: version.version });
  }
}
