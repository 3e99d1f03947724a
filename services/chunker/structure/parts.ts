import { lines, paragraphs, sentences } from '../boundaries/sentences.js';
import type { Range } from '../boundaries/ranges.js';
import type { Part } from './piece.js';
import type { PlacedBlock } from './placed-block.js';

/** A part that finer ones can be made of. */
export interface Divisible extends Part {
  /** Cuts it at its coarsest inner boundaries; none: only windows are left. */
  divide(): readonly Divisible[];
  /** What its windows after the first must repeat, if windows it comes to. */
  readonly windowLead: string;
  /** Tables and fences are kept whole where they fit. */
  readonly whole: boolean;
}

type Divider = (text: string, range: Range) => readonly Range[];

const dividers: Record<PlacedBlock['kind'], readonly Divider[]> = {
  heading: [sentences, lines],
  paragraph: [sentences, lines],
  list: [sentences, lines],
  'page-break': [],
  code: [paragraphs, codeLines],
  table: [rows],
};

/** A block, divisible by what its kind allows: sentences, then lines; rows; blank lines in code, then lines. */
export const divisibleBlock = (text: string, block: PlacedBlock): Divisible =>
  divisible(text, block, block, dividers[block.kind]);

/** Blocks of one section that stand together, divisible into them. */
export function divisibleSection(text: string, blocks: readonly PlacedBlock[]): Divisible | undefined {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const cuts: number[] = [];
  let above: PlacedBlock | undefined;
  for (const block of blocks) {
    if (above?.heading !== 'only') cuts.push(...block.cuts);
    above = block;
  }
  return {
    start: first.start,
    end: last.end,
    path: first.path,
    lead: first.lead,
    page: first.page,
    heading: last.heading === 'only' ? (first === last ? 'only' : 'last') : 'none',
    cuts,
    windowLead: '',
    whole: false,
    divide: () => blocks.map((block) => divisibleBlock(text, block)),
  };
}

function divisible(text: string, block: PlacedBlock, part: Part, finer: readonly Divider[]): Divisible {
  return {
    start: part.start,
    end: part.end,
    path: part.path,
    lead: part.lead,
    page: part.page,
    heading: part.heading,
    cuts: part.cuts,
    windowLead: block.repeats,
    whole: part === block && (block.kind === 'table' || block.kind === 'code'),
    divide() {
      for (let level = 0; level < finer.length; level++) {
        const ranges = finer[level]?.(text, part) ?? [];
        if (ranges.length < 2) continue;
        return ranges.map((range) => divisible(text, block, partOf(block, range), finer.slice(level + 1)));
      }
      return [];
    },
  };
}

function partOf(block: PlacedBlock, range: Range): Part {
  const lead = range.start < block.openingEnd ? '' : block.repeats;
  return {
    start: range.start,
    end: range.end,
    path: block.path,
    page: block.page,
    lead,
    heading: block.heading,
    cuts: lead === '' ? [range.start] : [],
  };
}

/** The lines of code; an opening line stays with the next, a closing one with the one before. */
function codeLines(text: string, range: Range): readonly Range[] {
  const found = lines(text, range);
  const isFence = (line: Range | undefined): boolean =>
    line !== undefined && /^(?:`{3,}|~{3,})/.test(text.slice(line.start, line.end));
  if (found.length > 1 && isFence(found[0])) merge(found, 0);
  if (found.length > 1 && isFence(found.at(-1))) merge(found, found.length - 2);
  return found;
}

/** The rows of a table; header and delimiter row stay with the first row. */
function rows(text: string, range: Range): readonly Range[] {
  const found = lines(text, range);
  const second = found[1];
  const hasHeader = second !== undefined && /^[|:\- \t]+$/.test(text.slice(second.start, second.end));
  if (hasHeader) merge(found, 0);
  if (hasHeader && found.length > 1) merge(found, 0);
  return found;
}

function merge(ranges: Range[], index: number): void {
  const [first, second] = [ranges[index], ranges[index + 1]];
  if (first !== undefined && second !== undefined) {
    ranges.splice(index, 2, { start: first.start, end: second.end });
  }
}
