import type { Bus } from '../../../services/ports/bus/port.js';
import { pipeline } from '../../../services/pipeline.js';
import type { Deployment } from '../../journeys/deployment.js';
import { queried } from './holdings.js';

/** What whoever looks for the cause of a failure asks first: who lags, what is under way, what each process logged last. */
export async function diagnosis({ environment, processes }: Deployment, bus: Bus): Promise<string> {
  const lines: string[] = [];
  for (const { name, input } of pipeline.filter(({ input }) => input.class === 'log')) {
    const [ends, committed] = await Promise.all([bus.endOffsets(input.name), bus.committed(name, input.name)]);
    lines.push(`${name} has read ${committed.join(' ')} of ${ends.join(' ')} in ${input.name}`);
  }
  const tables = [
    `select * from drain_pass`,
    `select document_id, version, state, purge_begun, packs, chunks, confirmed, redrives, updated_at, claimed_until
       from versions where state <> 'ready' order by updated_at limit 10`,
    `select id, document_id, kind, state, created_at from operations where state = 'accepted' order by created_at limit 10`,
    `select * from partition_starts where starts > 1 limit 10`,
  ];
  for (const sql of tables) lines.push(...(await queried(environment, sql)).map((row) => JSON.stringify(row)));
  for (const [name, { process, healthy, log }] of processes) {
    const state = process.exitCode ?? process.signalCode ?? `ready ${await healthy('ready')}`;
    lines.push(`--- ${name}, process ${process.pid}, ${state}:`, log().slice(-2_500));
  }
  return lines.join('\n');
}
