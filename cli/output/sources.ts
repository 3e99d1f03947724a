import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Style } from './style.js';
import { safeLine } from './safe-text.js';
import { clip, wrap } from './wrap.js';

interface Place {
  readonly document_id: string;
  readonly source: string;
  readonly title: string | null;
  readonly heading_path: readonly string[];
}

/** Where a document came from, as a person would name it: a path seen from here, a URL, else its title or id. */
export function nameOf(place: Pick<Place, 'document_id' | 'source' | 'title'>, cwd: string): string {
  if (place.source === '') return safeLine(place.title ?? place.document_id);
  if (!place.source.startsWith('file:')) return safeLine(place.source);
  try {
    const path = fileURLToPath(place.source);
    const near = relative(cwd, path);
    return safeLine(near.startsWith('..') || isAbsolute(near) ? path : near);
  } catch {
    return safeLine(place.source);
  }
}

/** `docs/hooks.md › Hooks › onRequest` */
export function placeOf(place: Place, cwd: string, style: Style): string {
  const path = place.heading_path.map(safeLine).filter((title) => title !== '');
  return style.bold(nameOf(place, cwd)) + (path.length > 0 ? style.dim(` › ${path.join(' › ')}`) : '');
}

/** A quote on at most `lines` lines, indented; what is longer ends in "…". */
export function excerpt(text: string, style: Style, indent: string, lines: number): string {
  const wrapped = wrap(safeLine(text), style.width, indent).split('\n');
  if (wrapped.length <= lines) return wrapped.join('\n');
  const last = wrapped[lines - 1] ?? '';
  return [...wrapped.slice(0, lines - 1), clip(`${last} …`, Math.max(style.width, indent.length + 20))].join('\n');
}
