import type { Migration } from './migration.js';

/** Which dead letters are dealt with. A row a letter, only of those that somebody touched. */
export const handledLetters: Migration = {
  name: 'handled-letters',
  statements: [
    `create table handled_letters (
      id text collate "C" primary key,
      published_at bigint not null,
      state text not null check (state in ('replaying', 'replayed', 'dropped')),
      operation text,
      claimed_until timestamptz,
      handled_at timestamptz not null
    )`,
  ],
};
