import { topics } from '../../schema/topics.js';
import { maxRedrives } from '../domain/documents/recovery.js';
import { uuidOf } from '../domain/identity.js';
import type { ClaimedVersion, LibrarianStore } from '../ports/catalog/librarian-store.js';
import type { Ports } from '../ports/ports.js';
import { output, type Output } from '../runtime/processor.js';
import { advanceDrainPass, type Held } from './drain-pass.js';
import { spacePurges } from './space-purges.js';

export type SweepPorts = Pick<Ports, 'bus' | 'blobStore' | 'librarianStore' | 'catalog'>;

/** Gets messages onto the bus; resolves when they are durable. */
export interface Publisher {
  publish(outputs: readonly Output[]): Promise<void>;
}

export interface SweepOptions {
  /** How long a version in flight must have been silent. 0: only the drain pass counts. */
  readonly stalledAfterMs: number;
  /** How long after the swap a superseded version is purged. */
  readonly purgeAfterMs: number;
  readonly batchSize: number;
  /** For how long no other sweep asks for the same: until then the librarian should have handled it. */
  readonly claimMs: number;
  /** Only of this workspace; absent: of all. */
  readonly workspace?: string;
  /** Looks and counts, and asks for nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

export interface SweepResult {
  /** Silent after their last new attempt: they are to fail. */
  readonly failed: number;
  readonly redriven: number;
  readonly purged: number;
  /** Rows without a workspace are never touched, only counted. */
  readonly skipped_no_workspace: number;
  /** Where the drain pass waits; until it has ended nothing counts as stalled. */
  readonly held: Held | null;
}

/** Who only looks sees everything at once: without claims there is no next batch. */
const lookedAtOnce = 1_000_000;

/**
 * Finds what was silent for too long and what is due to be purged, and asks the librarian for it by commands: a sweep
 * changes no document. Any number of sweepers may run; each version is claimed, and counted, by one.
 */
export async function sweepVersions(
  ports: SweepPorts,
  publisher: Publisher,
  options: SweepOptions,
): Promise<SweepResult> {
  const { bus, catalog, librarianStore: store } = ports;
  const counts = { failed: 0, redriven: 0, purged: 0, skipped_no_workspace: 0 };
  const now = (await catalog.now()).getTime();
  const { startedAt, held } = await advanceDrainPass(bus, store);

  const each = async (
    claim: LibrarianStore['claimSilent'],
    before: number,
    act: (version: ClaimedVersion) => Output[],
  ): Promise<void> => {
    const lease = options.dryRun === true ? 0 : options.claimMs;
    const limit = lease === 0 ? lookedAtOnce : options.batchSize;
    const { workspace } = options;
    const request = { limit, leaseMs: lease, ...(workspace === undefined ? {} : { workspace }) };
    while (options.signal?.aborted !== true) {
      const claimed = await claim({ before: new Date(before), ...request });
      const owned = claimed.filter(({ workspace }) => workspace !== '');
      counts.skipped_no_workspace += claimed.length - owned.length;
      const commands = owned.flatMap(act);
      if (lease > 0 && commands.length > 0) await publisher.publish(commands);
      if (claimed.length < options.batchSize || lease === 0) return;
    }
  };

  if (startedAt !== null) {
    // Silent for long enough, and since before the pass that has shown the queues to be empty of it.
    const before = Math.min(now - Math.max(0, options.stalledAfterMs), startedAt.getTime());
    const drive = (version: ClaimedVersion): Output[] => {
      if (version.redrives < maxRedrives) counts.redriven++;
      else counts.failed++;
      return [command('stalled', version, { seq: version.seq })];
    };
    await each((request) => store.claimSilent(request), before, drive);
    await each((request) => store.claimSilentBehind(request), before, drive);
    const purges = await spacePurges(store, { purgeAfterMs: options.purgeAfterMs, startedAt, now });
    if (options.dryRun !== true && purges.length > 0) await publisher.publish(purges);
    await each(
      (request) => store.claimUnpurged(request),
      before,
      (version) => [command('purge-due', version, {})],
    );
  }
  await each(
    (request) => store.claimPurgeDue(request),
    now - options.purgeAfterMs,
    (version) => {
      counts.purged++;
      return [command('purge-due', version, {})];
    },
  );
  return { ...counts, held };
}

/** Its id follows from what was seen, so that two sweepers who ask for the same ask once. */
function command(kind: 'stalled' | 'purge-due', version: ClaimedVersion, fields: { readonly seq?: number }): Output {
  return output(
    topics.documentCommands,
    {
      kind,
      workspace: version.workspace,
      collection: version.collection,
      document_id: version.documentId,
      version: version.version,
      version_hash: version.versionHash,
      ...fields,
    },
    { 'message-id': uuidOf(`${kind}\0${version.versionHash}\0${version.seq}`), workspace: version.workspace },
  );
}
