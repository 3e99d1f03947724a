import type { ChunkerSpec } from '../../domain/chunker-spec.js';
import type { Block, Chunk } from '../../domain/text.js';
import { atoms } from '../boundaries/atoms.js';
import type { Range } from '../boundaries/ranges.js';
import type { Chunked } from '../chunked.js';
import { measureCharacters } from '../measure/characters.js';
import { measureText } from '../measure/measure-text.js';
import { nextWindow, windowEnd } from '../windows.js';

interface Word extends Range {
  readonly page: number | undefined;
}

/** What fixed/1 keeps between segments: the words from the next window's first on. */
export interface FixedCarry {
  readonly strategy: 'fixed';
  readonly seq: number;
  /** Where `text` begins in the document, in UTF-16 units and in code points. */
  readonly units: number;
  readonly points: number;
  readonly text: string;
  readonly words: readonly Word[];
}

export const startFixed: FixedCarry = { strategy: 'fixed', seq: 0, units: 0, points: 0, text: '', words: [] };

/** fixed/1: overlapping windows of whole words, whatever the structure; the first to reach the end is the last. */
export function chunkFixed(
  spec: ChunkerSpec,
  blocks: readonly Block[],
  carry: FixedCarry,
  final: boolean,
): Chunked<FixedCarry> {
  const text = carry.text + blocks.map((block) => block.text).join('');
  const measure = measureText(spec.tokenizer, text, carry.units);
  const characters = measureCharacters(text);
  const words = [...carry.words];
  let position = carry.text.length;
  for (const {
    text: { length },
    page,
  } of blocks) {
    const range = { start: position, end: position + length };
    for (const atom of atoms(text, range, measure, spec.size)) words.push({ start: atom.start, end: atom.end, page });
    position += length;
  }

  const chunks: Chunk[] = [];
  let first = 0;
  while (first < words.length) {
    const end = windowEnd(words, first, measure, spec.size);
    if (end === words.length && !final) break;
    const start = words[first]?.start ?? 0;
    const stop = words[end - 1]?.end ?? start;
    const page = words[first]?.page;
    const points = carry.points + characters.count(0, start);
    chunks.push({
      seq: carry.seq + chunks.length,
      start: points,
      end: points + characters.count(start, stop),
      text: text.slice(start, stop),
      headingPath: [],
      ...(page === undefined ? {} : { page }),
    });
    first = end === words.length ? end : nextWindow(words, first, end, measure, spec);
  }
  if (final) return { chunks, carry: startFixed };

  const keep = words[first]?.start ?? text.length;
  return {
    chunks,
    carry: {
      strategy: 'fixed',
      seq: carry.seq + chunks.length,
      units: carry.units + keep,
      points: carry.points + characters.count(0, keep),
      text: text.slice(keep),
      words: words.slice(first).map(({ start, end, page }) => ({ start: start - keep, end: end - keep, page })),
    },
  };
}
