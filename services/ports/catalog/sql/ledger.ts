import type { DeliveryLedger } from '../port.js';
import { column } from './row.js';
import type { SqlClient } from './sql-client.js';

export function sqlLedger(client: SqlClient): DeliveryLedger {
  return {
    async raiseStarts(group, partitions) {
      if (partitions.length === 0) return [];
      const rows = await client.query(
        `insert into partition_starts as s (consumer_group, topic, partition, committed, starts)
         select $1::text, k.topic, k.partition, k.committed, 1
         from unnest($2::text[], $3::int[], $4::bigint[]) as k (topic, partition, committed)
         on conflict (consumer_group, topic, partition) do update set
           starts = case when s.committed = excluded.committed then s.starts + 1 else 1 end,
           suspect = case when s.committed = excluded.committed then s.suspect end,
           deaths = case when s.committed = excluded.committed then s.deaths + s.in_hand::int else 0 end,
           in_hand = false,
           committed = excluded.committed
         returning topic, partition, starts, suspect::text as suspect, deaths`,
        [
          group,
          partitions.map((each) => each.topic),
          partitions.map((each) => each.partition),
          partitions.map((each) => each.offset.toString()),
        ],
      );
      const found = new Map(
        rows.map((row) => {
          const suspect = column.textOrNull(row, 'suspect');
          const starts = {
            starts: column.integer(row, 'starts'),
            suspect: suspect === null ? null : BigInt(suspect),
            deaths: column.integer(row, 'deaths'),
          };
          return [`${column.text(row, 'topic')}/${column.integer(row, 'partition')}`, starts];
        }),
      );
      return partitions.map(
        (each) => found.get(`${each.topic}/${each.partition}`) ?? { starts: 1, suspect: null, deaths: 0 },
      );
    },

    async noteSuspect(group, topic, partition, offset) {
      await client.query(
        `update partition_starts set in_hand = true, suspect = $4::bigint,
           deaths = case when suspect = $4::bigint then deaths else 0 end
         where consumer_group = $1 and topic = $2 and partition = $3`,
        [group, topic, partition, offset.toString()],
      );
    },

    async releaseSuspect(group, topic, partition) {
      await client.query(
        `update partition_starts set in_hand = false where consumer_group = $1 and topic = $2 and partition = $3`,
        [group, topic, partition],
      );
    },

    async clearStarts(group) {
      await client.query('delete from partition_starts where consumer_group = $1', [group]);
    },
  };
}
