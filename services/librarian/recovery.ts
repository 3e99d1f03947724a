import type { Static } from '@sinclair/typebox';
import { removeOrphanPoints, type OrphanScanOptions, type OrphanScanResult } from './orphan-scan.js';
import type { Ports } from '../ports/ports.js';
import { sweepVersions, type Publisher, type SweepOptions, type SweepResult } from './sweep.js';
import { claimMsOf, type sweeperConfig } from './sweeper.js';

type SweepRequest = Partial<Pick<SweepOptions, 'stalledAfterMs' | 'batchSize' | 'dryRun' | 'workspace' | 'signal'>>;

export interface Recovery {
  sweep(request: SweepRequest): Promise<SweepResult>;
  removeOrphans(request: OrphanScanOptions): Promise<OrphanScanResult>;
}

/**
 * What a sweeper does, on request and in any process: what it asks for passes through the librarian, and what several
 * find at once is claimed, and counted, by one.
 */
export function createRecovery(
  ports: Ports,
  publisher: Publisher,
  { stalledAfterMs, purgeAfterMs, batchSize, intervalMs }: Static<typeof sweeperConfig>,
): Recovery {
  const defaults = { stalledAfterMs, purgeAfterMs, batchSize, claimMs: claimMsOf(intervalMs) };
  return {
    sweep: (request) => sweepVersions(ports, publisher, { ...defaults, ...request }),
    removeOrphans: (request) => removeOrphanPoints(ports, request),
  };
}
