import { opendir, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import picomatch from 'picomatch';
import { UsageError } from '../usage-error.js';
import { systemReason } from '../system-reason.js';
import { contentTypeOf } from './formats.js';

export type Discovered =
  | { readonly kind: 'file'; readonly path: string }
  /** Left out on purpose: `what` is an extension, or why. */
  | { readonly kind: 'skipped'; readonly path: string; readonly what: string }
  /** Could not be looked into: fails alone. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string };

/**
 * The files that the arguments of `load` name, as they are found: nothing is held but one directory's names a level.
 * A path that exists is taken as it is, else as a glob. A file named as such is always given; under a folder or a
 * glob's fixed part, hidden entries, `node_modules`, links to folders and names of unknown extension are left out,
 * unless the argument itself asks for them (`.github`, `docs/**\/*.json`).
 *
 * Throws UsageError before giving anything if an argument names nothing.
 */
export async function* discover(paths: readonly string[], cwd: string): AsyncGenerator<Discovered> {
  const roots: Root[] = [];
  for (const path of paths) roots.push(await rootOf(path, cwd));
  const seen = roots.length > 1 ? new Set<string>() : undefined;
  for (const root of roots) {
    for await (const found of filesOf(root)) {
      if (seen?.has(found.path) === true) continue;
      seen?.add(found.path);
      yield found;
    }
  }
}

/** The files of one root, in byte order of their `file:` URLs. */
export const filesOf = (root: Root): AsyncGenerator<Discovered> =>
  root.kind === 'file' ? named(root.path) : walk(root.path, root);

interface FileRoot {
  readonly kind: 'file';
  readonly path: string;
}
interface FolderRoot {
  readonly kind: 'folder';
  readonly path: string;
  readonly matches?: (path: string) => boolean;
  /** A glob that spells out a hidden name or node_modules asks for it. */
  readonly hidden: boolean;
  readonly modules: boolean;
}
/** What an argument names. */
export type Root = FileRoot | FolderRoot;

/** Throws UsageError if nothing is there. */
export async function rootOf(argument: string, cwd: string): Promise<Root> {
  const path = resolve(cwd, argument);
  try {
    const info = await stat(path);
    return info.isDirectory() ? { kind: 'folder', path, hidden: false, modules: false } : { kind: 'file', path };
  } catch (error) {
    const glob = picomatch.scan(argument);
    if (!glob.isGlob) throw new UsageError(`cannot load "${argument}": ${systemReason(error)}`);
    return globRoot(argument, unescaped(glob.base), cwd);
  }
}

async function globRoot(argument: string, base: string, cwd: string): Promise<FolderRoot> {
  const path = resolve(cwd, base);
  try {
    await stat(path);
  } catch (error) {
    throw new UsageError(`cannot load "${argument}": ${systemReason(error)}`);
  }
  const parts = picomatch.scan(argument).glob.split('/');
  return {
    kind: 'folder',
    path,
    matches: picomatch(absoluteGlob(argument, cwd), { dot: true }),
    hidden: parts.some((part) => part.length > 1 && part.startsWith('.') && part !== '..'),
    modules: parts.includes('node_modules'),
  };
}

/** A glob as a pattern of absolute paths: the folder before it is literal, whatever characters its name has. */
export function absoluteGlob(argument: string, cwd: string): string {
  const { base, glob } = picomatch.scan(argument);
  const folder = resolve(cwd, unescaped(base));
  return `${folder === '/' ? '' : escaped(folder)}/${glob}`;
}

const escaped = (path: string): string => path.replace(/[\\*?[\]{}()!+@|]/gu, '\\$&');
const unescaped = (base: string): string => base.replace(/\\(.)/gu, '$1');

async function* named(path: string): AsyncGenerator<Discovered> {
  await Promise.resolve();
  yield { kind: 'file', path };
}

async function* walk(folder: string, root: FolderRoot): AsyncGenerator<Discovered> {
  const entries = [];
  try {
    for await (const entry of await opendir(folder)) entries.push(entry);
  } catch (error) {
    yield { kind: 'unreadable', path: folder, reason: systemReason(error) };
    return;
  }
  const sorted = entries.map((entry) => {
    const path = join(folder, entry.name);
    return { entry, path, order: pathToFileURL(path).href + (entry.isDirectory() ? '/' : '') };
  });
  sorted.sort((a, b) => (a.order < b.order ? -1 : 1));
  for (const { entry, path } of sorted) {
    const reserved = !root.hidden && entry.name.startsWith('.') ? 'hidden' : root.modules ? '' : entry.name;
    if (reserved === 'hidden' || reserved === 'node_modules') {
      if (root.matches === undefined) yield { kind: 'skipped', path, what: reserved };
    } else if (entry.isDirectory()) {
      yield* walk(path, root);
    } else if (entry.isFile()) {
      yield* offered(path, root);
    } else if (entry.isSymbolicLink()) {
      yield* linked(path, root);
    } else {
      yield { kind: 'skipped', path, what: 'not a file' };
    }
  }
}

function* offered(path: string, root: FolderRoot): Generator<Discovered> {
  if (root.matches?.(path) === false) return;
  // A glob that ends in an extension names its kind of file.
  if (root.matches !== undefined || contentTypeOf(path) !== undefined) yield { kind: 'file', path };
  else yield { kind: 'skipped', path, what: extname(path).toLowerCase() || `named ${basename(path)}` };
}

async function* linked(path: string, root: FolderRoot): AsyncGenerator<Discovered> {
  try {
    const info = await stat(path);
    if (info.isFile()) yield* offered(path, root);
    else yield { kind: 'skipped', path, what: 'link to a folder' };
  } catch (error) {
    yield { kind: 'unreadable', path, reason: systemReason(error) };
  }
}
