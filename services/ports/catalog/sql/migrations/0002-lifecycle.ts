import type { Migration } from './migration.js';

/** What 0.2.0 adds, as one step: the release before runs on a schema that is one step ahead, not two. */
export const lifecycle: Migration = {
  name: 'lifecycle',
  statements: [
    // Reindex and rechunk: what a collection is becoming, and which live versions have not come along.
    `alter table collections
       add column conversion jsonb,
       add column retired_spaces jsonb not null default '[]',
       add column space_since timestamptz`,
    `alter table versions add column behind jsonb, add column windowed jsonb not null default '{}'`,
    `create index versions_behind on versions (workspace, collection, (behind ->> 'state'), document_id)
       where behind is not null and state = 'ready'`,
    // Which dead letters are dealt with: a row a letter, only of those that somebody touched.
    `create table handled_letters (
      id text collate "C" primary key,
      published_at bigint not null,
      state text not null check (state in ('replaying', 'replayed', 'dropped')),
      operation text,
      claimed_until timestamptz,
      handled_at timestamptz not null
    )`,
    // Collections whose new versions wait.
    'alter table collections add column paused boolean not null default false',
    // Where a collection's documents come from.
    `create table sync_roots (
      workspace text collate "C" not null,
      collection text collate "C" not null,
      root text collate "C" not null,
      tags text[],
      metadata jsonb,
      primary key (workspace, collection, root),
      foreign key (workspace, collection) references collections (workspace, id) on delete cascade
    )`,
  ],
};
