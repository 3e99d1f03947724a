import type { HandledLetters, LetterMark, LetterState } from '../handled-letters.js';
import { column } from './row.js';
import type { SqlClient } from './sql-client.js';
import { clock } from './time.js';

export function sqlHandledLetters(client: SqlClient): HandledLetters {
  return {
    async letterMarks(letters) {
      if (letters.length === 0) return new Map();
      const rows = await client.query(
        `select h.id, h.state, h.operation, h.handled_at from handled_letters h
         join unnest($1::text[], $2::bigint[]) as k (id, published_at)
           on h.id = k.id and h.published_at = k.published_at`,
        [letters.map((letter) => letter.id), letters.map((letter) => letter.publishedAt)],
      );
      return new Map(
        rows.map((row): [string, LetterMark] => [
          column.text(row, 'id'),
          {
            state: stateOf(column.text(row, 'state')),
            operation: column.textOrNull(row, 'operation'),
            at: column.time(row, 'handled_at'),
          },
        ]),
      );
    },

    async claimLetter({ id, publishedAt }, leaseMs) {
      const rows = await client.query(
        `insert into handled_letters as h (id, published_at, state, claimed_until, handled_at)
         values ($1, $2::bigint, 'replaying', ${clock} + $3::bigint * interval '1 millisecond', ${clock})
         on conflict (id) do update set published_at = excluded.published_at, state = excluded.state, operation = null,
           claimed_until = excluded.claimed_until, handled_at = excluded.handled_at
         where h.published_at <> excluded.published_at or (h.state = 'replaying' and h.claimed_until < ${clock})
         returning id`,
        [id, publishedAt, leaseMs],
      );
      return rows.length > 0;
    },

    async markLetter({ id, publishedAt }, state, operation) {
      await client.query(
        `insert into handled_letters as h (id, published_at, state, operation, handled_at)
         values ($1, $2::bigint, $3, $4, ${clock})
         on conflict (id) do update set published_at = excluded.published_at, state = excluded.state,
           operation = excluded.operation, claimed_until = null, handled_at = excluded.handled_at
         where h.published_at <> excluded.published_at or h.state = 'replaying'`,
        [id, publishedAt, state, operation],
      );
    },
  };
}

function stateOf(text: string): LetterState {
  return text === 'replayed' || text === 'dropped' ? text : 'replaying';
}
