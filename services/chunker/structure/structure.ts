import type { ChunkerSpec } from '../../domain/chunker-spec.js';
import type { Block, Chunk } from '../../domain/text.js';
import { measureCharacters } from '../measure/characters.js';
import { measureText } from '../measure/measure-text.js';
import type { Chunked } from '../chunked.js';
import { Packer } from './packer.js';
import { divisibleBlock, divisibleSection } from './parts.js';
import { shifted, type Piece } from './piece.js';
import { opening, placed, type PlacedBlock } from './placed-block.js';

interface Section {
  readonly path: readonly string[];
  /** Its blocks so far, while it may still fit into one chunk. */
  blocks: PlacedBlock[];
  /** It is known to fit into no chunk: its blocks are placed as they come. */
  open: boolean;
}

/** What structure/1 keeps between segments; bounded by a few chunks and one block. */
export interface StructureCarry {
  readonly strategy: 'structure';
  readonly seq: number;
  /** Where `text` begins in the document, in UTF-16 units and in code points. */
  readonly units: number;
  readonly points: number;
  /** The end of the text so far, from the first piece that is not emitted. */
  readonly text: string;
  readonly headings: readonly { readonly level: number; readonly title: string }[];
  readonly section: Section;
  readonly repeats: string;
  readonly current: Piece | undefined;
  readonly held: Piece | undefined;
}

export const startStructure: StructureCarry = {
  strategy: 'structure',
  seq: 0,
  units: 0,
  points: 0,
  text: '',
  headings: [],
  section: { path: [], blocks: [], open: false },
  repeats: '',
  current: undefined,
  held: undefined,
};

/** structure/1; the rules stand in services/chunker/README.md. */
export function chunkStructure(
  spec: ChunkerSpec,
  blocks: readonly Block[],
  carry: StructureCarry,
  final: boolean,
): Chunked<StructureCarry> {
  const text = carry.text + blocks.map((block) => block.text).join('');
  const characters = measureCharacters(text);
  const chunks: Chunk[] = [];
  const emit = ({ start, end, path, lead, page }: Piece): void => {
    const first = carry.points + characters.count(0, start);
    chunks.push({
      seq: carry.seq + chunks.length,
      start: first,
      end: first + characters.count(start, end),
      text: text.slice(start, end),
      headingPath: path,
      ...(lead === '' ? {} : { lead }),
      ...(page === undefined ? {} : { page }),
    });
  };
  const packer = new Packer(text, measureText(spec.tokenizer, text, carry.units), spec, emit);
  packer.current = carry.current;
  packer.held = carry.held;

  let { headings, repeats } = carry;
  let section: Section = { ...carry.section, blocks: [...carry.section.blocks] };

  const closeSection = (): void => {
    const whole = section.open ? undefined : divisibleSection(text, section.blocks);
    if (whole !== undefined) packer.place(whole);
  };
  const add = (block: PlacedBlock): void => {
    if (section.open) return packer.place(divisibleBlock(text, block));
    section.blocks.push(block);
    if (packer.size(section.blocks[0]?.start ?? block.start, block.end) <= spec.size) return;
    packer.settle();
    for (const waiting of section.blocks) packer.place(divisibleBlock(text, waiting));
    section = { path: section.path, blocks: [], open: true };
  };

  let position = carry.text.length;
  for (const block of blocks) {
    const range = { start: position, end: position + block.text.length };
    position = range.end;
    if (block.kind === 'heading') {
      closeSection();
      const level = block.level ?? 1;
      headings = [...headings.filter((above) => above.level < level), { level, title: block.title ?? '' }];
      section = { path: headings.map(({ title }) => title), blocks: [], open: false };
    }
    if (block.continued !== true) repeats = packer.repeated(opening(block));
    const at = placed(text, block, range, section.path, repeats);
    if (at !== undefined) add(at);
  }
  if (final) {
    closeSection();
    packer.finish();
    return { chunks, carry: startStructure };
  }

  const { current, held } = packer;
  const keep = Math.min(
    held?.start ?? text.length,
    current?.start ?? text.length,
    section.blocks[0]?.start ?? text.length,
  );
  return {
    chunks,
    carry: {
      strategy: 'structure',
      seq: carry.seq + chunks.length,
      units: carry.units + keep,
      points: carry.points + characters.count(0, keep),
      text: text.slice(keep),
      headings,
      section: { ...section, blocks: section.blocks.map((block) => movedBack(block, keep)) },
      repeats,
      current: current === undefined ? undefined : shifted(current, keep),
      held: held === undefined ? undefined : shifted(held, keep),
    },
  };
}

const movedBack = (block: PlacedBlock, by: number): PlacedBlock => ({
  ...shifted(block, by),
  openingEnd: block.openingEnd - by,
});
