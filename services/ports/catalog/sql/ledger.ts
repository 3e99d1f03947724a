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
           committed = excluded.committed
         returning topic, partition, starts, suspect::text as suspect`,
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
          const starts = { starts: column.integer(row, 'starts'), suspect: suspect === null ? null : BigInt(suspect) };
          return [`${column.text(row, 'topic')}/${column.integer(row, 'partition')}`, starts];
        }),
      );
      return partitions.map((each) => found.get(`${each.topic}/${each.partition}`) ?? { starts: 1, suspect: null });
    },

    async noteSuspect(group, topic, partition, offset) {
      await client.query(
        `update partition_starts set suspect = $4::bigint where consumer_group = $1 and topic = $2 and partition = $3`,
        [group, topic, partition, offset.toString()],
      );
    },

    async clearStarts(group) {
      await client.query('delete from partition_starts where consumer_group = $1', [group]);
    },
  };
}
