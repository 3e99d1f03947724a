import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import type { Document } from '../../gateway/client/client.js';
import type { AttributeValue } from './attributes.js';
import { contentTypeOf } from './formats.js';

/** What one load says of all its documents. */
export interface LoadPlan {
  readonly collection: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, AttributeValue>>;
  readonly contentType?: string;
  readonly flow?: string;
  readonly force: boolean;
  readonly expectedSpace?: string;
  readonly expectedChunkSize?: number;
  readonly expectedChunkOverlap?: number;
  /** How many documents are read and sent at a time. */
  readonly concurrency: number;
}

/** One document to load: its bytes are in a file, whatever it is called. */
export interface LoadItem {
  readonly path: string;
  /** How results name it. */
  readonly label: string;
  /** Undefined: the document has an id of its own, or is known by its content. */
  readonly source?: string;
  readonly documentId?: string;
  readonly contentType?: string;
  /** What it is tagged with where the plan says nothing of tags. */
  readonly tags?: readonly string[];
}

/** A file as it is loaded: its source is the file URL of its absolute path. */
export function fileItem(path: string, documentId?: string): LoadItem {
  const contentType = contentTypeOf(path);
  return {
    path,
    label: path,
    source: pathToFileURL(path).href,
    ...(documentId === undefined ? {} : { documentId }),
    ...(contentType === undefined ? {} : { contentType }),
  };
}

/** What a remembered file must have been sent with to count as sent. */
export const optionsKey = (plan: LoadPlan, item: LoadItem): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        plan.title ?? null,
        plan.tags ?? null,
        plan.metadata ?? null,
        plan.flow ?? null,
        plan.contentType ?? item.contentType ?? null,
        item.documentId ?? null,
      ]),
    )
    .digest('hex')
    .slice(0, 16);

/** Whether the server holds what this plan says: another client may have said otherwise since. */
export function agrees(plan: LoadPlan, document: Document): boolean {
  const { newest } = document;
  if (newest === null) return false;
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  return (
    (plan.title === undefined || newest.title === plan.title) &&
    (plan.tags === undefined || same([...plan.tags].sort(), [...newest.tags].sort())) &&
    Object.entries(plan.metadata ?? {}).every(([key, value]) => same(newest.metadata[key], value))
  );
}
