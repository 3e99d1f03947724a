import type { Migration } from './migration.js';

/** Collections whose new versions wait. */
export const pausedCollections: Migration = {
  name: 'paused-collections',
  statements: ['alter table collections add column paused boolean not null default false'],
};
