import type { Block, BlockKind } from '../../domain/text.js';
import { trimmed, type Range } from '../boundaries/ranges.js';
import type { Part } from './piece.js';

/** A block at its place in the text in hand. */
export interface PlacedBlock extends Part {
  readonly kind: BlockKind;
  /** What its later parts must repeat when they begin a chunk. */
  readonly repeats: string;
  /** Parts that begin before this hold the opening themselves. */
  readonly openingEnd: number;
}

const delimiterRow = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const fence = /^[ \t]*(?:`{3,}|~{3,})/;

/** What a table or fence repeats in each of its chunks: its header and delimiter rows, its opening line. */
export function opening(block: Block): string {
  if (block.kind !== 'table' && block.kind !== 'code') return '';
  const first = block.text.indexOf('\n');
  if (first < 0) return '';
  if (block.kind === 'code') return fence.test(block.text.slice(0, first)) ? block.text.slice(0, first + 1) : '';
  const second = block.text.indexOf('\n', first + 1);
  if (second < 0 || !delimiterRow.test(block.text.slice(first + 1, second))) return '';
  return block.text.slice(0, second + 1);
}

/** Places a block whose text stands at `range`; undefined if it is only space. `repeats` as `opening` found it. */
export function placed(
  text: string,
  block: Block,
  range: Range,
  path: readonly string[],
  repeats: string,
): PlacedBlock | undefined {
  const within = trimmed(text, range.start, range.end);
  if (within === undefined) return undefined;
  const continued = block.continued === true;
  return {
    start: within.start,
    end: within.end,
    kind: block.kind,
    path,
    page: block.page,
    heading: block.kind === 'heading' ? 'only' : 'none',
    repeats,
    lead: continued ? repeats : '',
    openingEnd: continued ? range.start : range.start + Math.max(repeats.length, 1),
    cuts: continued && repeats !== '' ? [] : [within.start],
  };
}
