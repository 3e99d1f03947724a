import { createHash } from 'node:crypto';
import type { VectorScope } from '../port.js';

/**
 * The name under which a scope's points stand: a digest of workspace, collection and space with NULs between, so that no
 * two scopes share one whatever characters their names have, and every name is short and safe in a file system.
 */
export function tableName({ workspace, collection, space }: VectorScope): string {
  const digest = createHash('sha256').update([workspace, collection, space.id].join('\0')).digest('hex');
  return digest.slice(0, 40);
}
