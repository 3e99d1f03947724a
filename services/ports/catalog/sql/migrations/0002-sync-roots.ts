import type { Migration } from './migration.js';

export const syncRoots: Migration = {
  name: 'sync-roots',
  statements: [
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
