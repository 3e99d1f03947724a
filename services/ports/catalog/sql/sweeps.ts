import type { ClaimedVersion, ClaimRequest, DrainPass, LibrarianStore } from '../librarian-store.js';
import { uploadKey } from '../librarian-store.js';
import { column } from './row.js';
import type { Row, SqlClient } from './sql-client.js';
import { clock } from './time.js';

type Sweeps = Omit<LibrarianStore, 'change' | 'retiredSpaces'>;

const notPaused =
  'not exists (select 1 from collections c where c.workspace = v.workspace and c.id = v.collection and c.paused)';

const claimable = {
  silent: {
    where: `v.state in ('pending', 'processing') and v.updated_at < $1 and ${notPaused}`,
    order: 'v.updated_at',
  },
  silentBehind: {
    where: `v.state = 'ready' and v.behind is not null and v.behind ->> 'state' = 'waiting' and v.updated_at < $1
      and ${notPaused}`,
    order: 'v.updated_at',
  },
  purgeDue: {
    where: "v.state = 'superseded' and not v.purge_begun and v.superseded_at < $1",
    order: 'v.superseded_at',
  },
  unpurged: {
    where: "v.state in ('superseded', 'deleting') and v.purge_begun and v.updated_at < $1",
    order: 'v.updated_at',
  },
} as const;

export function sqlSweeps(client: SqlClient): Sweeps {
  /** Takes rows that no other sweep has, without waiting for any: so each is counted once. */
  const claim = async (
    { where, order }: (typeof claimable)[keyof typeof claimable],
    {
      before,
      limit,
      leaseMs,
      workspace = null,
    }: Omit<ClaimRequest, 'workspace'> & { readonly workspace?: string | null },
  ): Promise<ClaimedVersion[]> => {
    const free = `(v.claimed_until is null or v.claimed_until < ${clock}) and ($3::text is null or v.workspace = $3)`;
    const columns = 'v.workspace, v.collection, v.document_id, v.version, v.version_hash, v.redrives, d.seq';
    const rows =
      leaseMs === 0
        ? await client.query(
            `select ${columns} from versions v join documents d using (workspace, collection, document_id)
             where ${where} and ${free} order by ${order} limit $2::bigint`,
            [before.toISOString(), limit, workspace],
          )
        : await client.query(
            `with free as (
               select v.version_hash from versions v where ${where} and ${free}
               order by ${order} limit $2::bigint for update skip locked
             )
             update versions v set claimed_until = ${clock} + $4::bigint * interval '1 millisecond'
             from documents d
             where v.version_hash in (select version_hash from free)
               and d.workspace = v.workspace and d.collection = v.collection and d.document_id = v.document_id
             returning ${columns}`,
            [before.toISOString(), limit, workspace, leaseMs],
          );
    return rows.map(claimedVersion);
  };

  return {
    claimSilent: (request) => claim(claimable.silent, request),
    claimSilentBehind: (request) => claim(claimable.silentBehind, request),
    claimPurgeDue: (request) => claim(claimable.purgeDue, request),
    claimUnpurged: (request) => claim(claimable.unpurged, request),

    async referencedUploads(uploads, except = []) {
      if (uploads.length === 0) return new Set();
      const rows = await client.query(
        `select distinct v.workspace, v.upload_id from versions v
         join unnest($1::text[], $2::text[]) as k (workspace, upload_id)
           on v.workspace = k.workspace and v.upload_id = k.upload_id
         where v.version_hash <> all($3::text[])`,
        [uploads.map((each) => each.workspace), uploads.map((each) => each.uploadId), except],
      );
      return new Set(rows.map((row) => uploadKey(column.text(row, 'workspace'), column.text(row, 'upload_id'))));
    },

    async drainPass() {
      const [row] = await client.query('select * from drain_pass');
      return row === undefined ? undefined : drainPass(row);
    },

    async moveDrainPass(seen, step) {
      if (seen === undefined) {
        const [row] = await client.query(
          `insert into drain_pass (number, started_at, step, step_started_at, ended)
           values (1, ${clock}, 0, ${clock}, false) on conflict do nothing returning *`,
        );
        return row === undefined ? undefined : drainPass(row);
      }
      const changes = {
        start: `number = number + 1, started_at = ${clock}, step = 0, step_started_at = ${clock}, ends = null, ended = false`,
        note: 'ends = $4::jsonb',
        next: `step = step + 1, step_started_at = ${clock}, ends = null`,
        end: 'ended = true, last_started_at = started_at',
      };
      const [row] = await client.query(
        `update drain_pass set ${changes[step.move]}
         where number = $1 and step = $2 and ended = $3 and (ends is null) = $5 and ($4::jsonb is null or ends is null)
         returning *`,
        [
          seen.number,
          seen.step,
          seen.ended,
          step.move === 'note' ? JSON.stringify(step.ends) : null,
          seen.ends === null,
        ],
      );
      return row === undefined ? undefined : drainPass(row);
    },

    async workspaces() {
      const rows = await client.query('select distinct workspace from collection_generations order by workspace');
      return rows.map((row) => column.text(row, 'workspace'));
    },

    async prune(before, limit) {
      for (const statement of [
        'delete from handled_commands where id in (select id from handled_commands where handled_at < $1 limit $2::bigint)',
        `delete from operations where id in
           (select id from operations where updated_at < $1 and state <> 'accepted' limit $2::bigint)`,
      ]) {
        await client.query(statement, [before.toISOString(), limit]);
      }
    },
  };
}

const claimedVersion = (row: Row): ClaimedVersion => ({
  workspace: column.text(row, 'workspace'),
  collection: column.text(row, 'collection'),
  documentId: column.text(row, 'document_id'),
  version: column.integer(row, 'version'),
  versionHash: column.text(row, 'version_hash'),
  seq: column.integer(row, 'seq'),
  redrives: column.integer(row, 'redrives'),
});

const drainPass = (row: Row): DrainPass => ({
  number: column.integer(row, 'number'),
  startedAt: column.time(row, 'started_at'),
  step: column.integer(row, 'step'),
  stepStartedAt: column.time(row, 'step_started_at'),
  ends: column.json(row, 'ends'),
  ended: column.boolean(row, 'ended'),
  lastStartedAt: column.timeOrNull(row, 'last_started_at'),
});
