import type { DocumentKey } from '../../../domain/identity.js';

/** Document keys as three parallel arrays, for unnest($1::text[], $2::text[], $3::text[]). */
export const keyColumns = (keys: readonly DocumentKey[]): [string[], string[], string[]] => [
  keys.map((key) => key.workspace),
  keys.map((key) => key.collection),
  keys.map((key) => key.documentId),
];
