import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SluiceApiError, type Document, type SluiceApi } from '../../gateway/client/client.js';
import type { Skipped } from '../load/items.js';
import type { Ledger } from '../load/ledger.js';
import { fileItem, type LoadItem, type LoadPlan } from '../load/plan.js';
import { systemReason } from '../system-reason.js';
import { merge } from './merge.js';
import type { LocalRoot, OpenRoot } from './roots.js';
import { isSame } from './same-content.js';
import { fetchToFile } from './web-file.js';

/** What is to be done about one file or document. */
export type Finding =
  | { readonly kind: 'new' | 'changed'; readonly item: LoadItem; readonly done?: () => Promise<void> }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'gone'; readonly document: Document }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string };

export interface Survey {
  readonly client: SluiceApi;
  readonly plan: LoadPlan;
  readonly ledger: Ledger;
  readonly skipped: Skipped;
  readonly signal: AbortSignal;
  /** Sources that an earlier root gave; undefined where no two roots can give the same. */
  readonly seen: Set<string> | undefined;
}

const pageSize = 500;

/** Compares one root with what the collection holds of it, as it is read. */
export const survey = (of: Survey, root: OpenRoot): AsyncGenerator<Finding> =>
  root.kind === 'web' ? surveyUrl(of, root.url) : surveyFiles(of, root);

async function* surveyFiles(of: Survey, root: LocalRoot): AsyncGenerator<Finding> {
  for await (const merged of merge(root.files(), documentsUnder(of, root.prefix, root.covers))) {
    if (merged.kind === 'skipped') {
      of.skipped.set(merged.what, (of.skipped.get(merged.what) ?? 0) + 1);
    } else if (merged.kind === 'unreadable') {
      yield merged;
    } else if (merged.kind === 'unmatched') {
      yield* unmatched(merged.document);
    } else if (of.seen?.has(merged.path) !== true) {
      of.seen?.add(merged.path);
      yield* compared(of, merged.path, merged.documents);
    }
  }
}

async function* compared(of: Survey, path: string, documents: readonly Document[]): AsyncGenerator<Finding> {
  if (documents.length === 0) yield { kind: 'new', item: fileItem(path) };
  for (const document of documents) {
    try {
      if (await isSame(path, document, of.plan, of.ledger, of.signal)) yield { kind: 'unchanged' };
      else yield { kind: 'changed', item: againOf(fileItem(path), document) };
    } catch (error) {
      of.signal.throwIfAborted();
      yield { kind: 'unreadable', path, reason: systemReason(error) };
    }
  }
}

/** The same document again: whatever its id is, and with its tags. */
const againOf = (item: LoadItem, { document_id, newest }: Document): LoadItem => ({
  ...item,
  documentId: document_id,
  tags: newest?.tags ?? [],
});

/** A document whose file the walk did not give is gone only if the file is: it may be hidden, or of another kind. */
async function* unmatched(document: Document): AsyncGenerator<Finding> {
  const path = fileURLToPath(document.source ?? '');
  try {
    await stat(path);
  } catch (error) {
    if (isMissing(error)) yield { kind: 'gone', document };
    else yield { kind: 'unreadable', path, reason: systemReason(error) };
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

async function* surveyUrl(of: Survey, url: string): AsyncGenerator<Finding> {
  let file;
  try {
    file = await fetchToFile(url, of.signal);
  } catch (error) {
    of.signal.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    yield { kind: 'unreadable', path: url, reason: systemReason(cause) };
    return;
  }
  const documents: Document[] = [];
  for await (const document of documentsUnder(of, url, (source) => source === url)) documents.push(document);
  const { path, contentType } = file;
  const item: LoadItem = { path, label: url, source: url, ...(contentType === undefined ? {} : { contentType }) };
  let kept = false;
  for (const document of documents) {
    if (file.gone) yield { kind: 'gone', document };
    else if (await isSame(path, document, of.plan, undefined, of.signal)) yield { kind: 'unchanged' };
    else {
      kept = true;
      yield { kind: 'changed', item: againOf(item, document), done: file.remove };
    }
  }
  if (documents.length === 0 && file.gone)
    yield { kind: 'unreadable', path: url, reason: 'the server says that there is nothing' };
  else if (documents.length === 0) yield { kind: 'new', item, done: file.remove };
  else if (!kept) await file.remove();
}

/** In source order, those that the root covers; of a collection that is not there yet, none. */
async function* documentsUnder(
  { client, plan, signal }: Survey,
  prefix: string,
  covers: (source: string) => boolean,
): AsyncGenerator<Document> {
  const selection = { collection: plan.collection, source_prefix: prefix, limit: pageSize };
  try {
    for await (const document of client.listDocuments(selection, { signal })) {
      if (covers(document.source ?? '')) yield document;
    }
  } catch (error) {
    if (!(error instanceof SluiceApiError) || error.code !== 'collection-not-found') throw error;
  }
}
