import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { UsageError } from '../usage-error.js';
import { discover } from './discover.js';
import { contentTypeOf } from './formats.js';
import { fileItem, type LoadItem } from './plan.js';

export interface Unreadable {
  readonly path: string;
  readonly unreadable: string;
}

/** What the search left out: how many, by extension or reason. */
export type Skipped = Map<string, number>;

/**
 * The documents that the arguments name. Throws UsageError before the first if there is none, and before anything else
 * if an id is given for more than one.
 */
export async function* itemsOf(
  paths: readonly string[],
  cwd: string,
  documentId: string | undefined,
  skipped: Skipped,
): AsyncGenerator<LoadItem | Unreadable> {
  let first: LoadItem | undefined;
  let any = false;
  for await (const found of discover(paths, cwd)) {
    if (found.kind === 'skipped') {
      skipped.set(found.what, (skipped.get(found.what) ?? 0) + 1);
    } else if (found.kind === 'unreadable') {
      any = true;
      yield { path: found.path, unreadable: found.reason };
    } else if (documentId === undefined) {
      any = true;
      yield fileItem(found.path);
    } else if (first === undefined) {
      // Held back until it is known to be the only one.
      first = fileItem(found.path, documentId);
    } else {
      throw new UsageError(
        `--id "${documentId}" names one document, but there are several files: load one file with it`,
      );
    }
  }
  if (first !== undefined) yield first;
  else if (!any) throw new UsageError(nothingFound(paths, skipped));
}

function nothingFound(paths: readonly string[], skipped: Skipped): string {
  const left = describeSkipped(skipped);
  return (
    `no file to load in ${paths.map((path) => `"${path}"`).join(', ')}: ` +
    (left === '' ? 'nothing is there' : `left out ${left}`) +
    '; Markdown, HTML and plain text are read (name a file itself to load it whatever its extension)'
  );
}

/** "3 .png, 1 hidden" */
export const describeSkipped = (skipped: Skipped): string =>
  [...skipped]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([what, times]) => `${times} ${what}`)
    .join(', ');

/** Standard input as a file of its own, so that it can be sent again; `remove` when done. */
export async function stdinItem(
  stdin: Readable,
  name: string | undefined,
  documentId: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly item: LoadItem; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-stdin-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'input');
  try {
    await pipeline(stdin, createWriteStream(path, { mode: 0o600 }), { signal });
  } catch (error) {
    await remove();
    throw error;
  }
  const contentType = name === undefined ? undefined : contentTypeOf(name);
  return {
    item: {
      path,
      label: name ?? documentId ?? '-',
      ...(name === undefined ? {} : { source: name }),
      ...(documentId === undefined ? {} : { documentId }),
      ...(contentType === undefined ? {} : { contentType }),
    },
    remove,
  };
}
