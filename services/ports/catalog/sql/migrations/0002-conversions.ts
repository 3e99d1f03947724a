import type { Migration } from './migration.js';

/** Reindex and rechunk: what a collection is becoming, and which live versions have not come along. */
export const conversions: Migration = {
  name: 'conversions',
  statements: [
    `alter table collections
       add column conversion jsonb,
       add column retired_spaces jsonb not null default '[]',
       add column space_since timestamptz`,
    `alter table versions add column behind jsonb, add column windowed jsonb not null default '{}'`,
    `create index versions_behind on versions (workspace, collection, (behind ->> 'state'), document_id)
       where behind is not null and state = 'ready'`,
  ],
};
