import { part, type Query } from './transport.js';

/**
 * Where a document stands. `.` and `..` cannot stand in a URL's path (every client resolves them, encoded or not), so
 * they travel in the query.
 */
export function documentPath(collection: string, documentId: string, below = ''): { path: string; query: Query } {
  const inPath = documentId !== '.' && documentId !== '..';
  return {
    path: `/collections/${part(collection)}/documents/${inPath ? part(documentId) : '~'}${below}`,
    query: inPath ? {} : { id: documentId },
  };
}
