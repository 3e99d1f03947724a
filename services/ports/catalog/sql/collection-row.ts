import type { CollectionDeletion } from '../librarian-store.js';
import type { CollectionRecord } from '../port.js';
import { column } from './row.js';
import type { Row } from './sql-client.js';

export function collectionRecord(row: Row): CollectionRecord {
  return {
    workspace: column.text(row, 'workspace'),
    id: column.text(row, 'id'),
    name: column.text(row, 'name'),
    description: column.text(row, 'description'),
    metadata: column.json(row, 'metadata'),
    space: column.json(row, 'space'),
    targetSpace: column.json(row, 'target_space'),
    conversion: column.json(row, 'conversion'),
    retiredSpaces: column.json(row, 'retired_spaces'),
    spaceSince: column.millisecondsOrNull(row, 'space_since'),
    chunkerSpec: column.json(row, 'chunker_spec'),
    lexical: column.json(row, 'lexical'),
    state: column.text(row, 'state') === 'active' ? 'active' : 'deleting',
    paused: column.boolean(row, 'paused'),
    generation: column.integer(row, 'generation'),
    createdAt: column.time(row, 'created_at'),
    updatedAt: column.time(row, 'updated_at'),
  };
}

export function collectionDeletion(row: Row): CollectionDeletion | null {
  if (column.text(row, 'state') !== 'deleting') return null;
  return { operations: column.texts(row, 'deletion_operations'), walked: column.boolean(row, 'deletion_walked') };
}
