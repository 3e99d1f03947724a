import { pathToFileURL } from 'node:url';
import type { Document } from '../../gateway/client/client.js';
import type { Discovered } from '../load/discover.js';

export type Merged =
  /** A file, and the documents that came from it: none if it is new. */
  | { readonly kind: 'file'; readonly path: string; readonly documents: readonly Document[] }
  /** A document whose file the walk did not give. */
  | { readonly kind: 'unmatched'; readonly document: Document }
  | Exclude<Discovered, { kind: 'file' }>;

/**
 * Joins files and documents, both in byte order of their sources. What it holds is one of each: neither side is ever in
 * memory as a whole.
 */
export async function* merge(
  files: AsyncIterable<Discovered>,
  documents: AsyncIterable<Document>,
): AsyncGenerator<Merged> {
  const listed = documents[Symbol.asyncIterator]();
  let next = await listed.next();
  const take = async (document: Document): Promise<Document> => {
    next = await listed.next();
    return document;
  };
  for await (const found of files) {
    if (found.kind !== 'file') {
      yield found;
      continue;
    }
    const source = pathToFileURL(found.path).href;
    const same: Document[] = [];
    while (next.done !== true && (next.value.source ?? '') <= source) {
      if (next.value.source === source) same.push(await take(next.value));
      else yield { kind: 'unmatched', document: await take(next.value) };
    }
    yield { kind: 'file', path: found.path, documents: same };
  }
  while (next.done !== true) yield { kind: 'unmatched', document: await take(next.value) };
}
