import type { Recovered, RecoverRequest } from '../client/types.js';
import { requireUnfiltered } from '../access/require-unfiltered.js';
import type { Call, GatewayContext, Recovery } from './context.js';

/**
 * One sweep now, and an orphan scan if asked for: of the caller's workspace, or of all for the one user of this machine.
 * Throws invalid-argument for orphans over 1 % of all points, unless forced.
 */
export async function recover(
  { recovery }: GatewayContext,
  { caller, signal }: Call,
  request: RecoverRequest,
): Promise<Recovered> {
  requireUnfiltered(caller, 'recover documents');
  const { stalled_after_ms: stalledAfterMs, batch_size: batchSize, dry_run: dryRun = false, force = false } = request;
  const whose = { dryRun, signal, ...(caller.local ? {} : { workspace: caller.workspace }) };
  const { held, ...counts } = await recovery.sweep({
    ...whose,
    ...(stalledAfterMs === undefined ? {} : { stalledAfterMs }),
    ...(batchSize === undefined ? {} : { batchSize }),
  });
  const orphans = request.orphans === true ? await recovery.removeOrphans({ ...whose, force }) : null;
  return { ...counts, held: held && heldView(held), orphans };
}

const heldView = ({
  topic,
  group,
  partition,
  since,
}: NonNullable<Awaited<ReturnType<Recovery['sweep']>>['held']>): Recovered['held'] => ({
  ...{ topic, group, partition },
  since: since.toISOString(),
});
