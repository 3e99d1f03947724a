import { describeSpec, type ChunkerSpec } from '../domain/chunker-spec.js';
import { SluiceError } from '../domain/errors.js';
import type { Block } from '../domain/text.js';
import type { Chunked } from './chunked.js';
import { chunkFixed, startFixed, type FixedCarry } from './fixed/fixed.js';
import { chunkStructure, startStructure, type StructureCarry } from './structure/structure.js';

/** What a chunker keeps between two segments of a text: plain data, so that any worker may go on. */
export type ChunkerCarry = StructureCarry | FixedCarry;

/**
 * The chunks of the next segment of a text: `blocks` follow those of the calls before, in order. The first call has no
 * carry, the last is `final`; how the blocks are divided among calls changes nothing. Every chunk is the decoded text
 * from its start to its end in code points, together they hold all of it but white space, and lead and text of each
 * measure at most `spec.size` (but for a single grapheme that is larger). The heading path is not counted.
 * Throws invalid-argument for a spec that this release does not know.
 */
export function chunk(
  spec: ChunkerSpec,
  blocks: readonly Block[],
  carry: ChunkerCarry | undefined,
  final: boolean,
): Chunked<ChunkerCarry> {
  const { size, overlap } = spec;
  if (!(Number.isInteger(size) && size > 0 && Number.isInteger(overlap) && overlap >= 0 && overlap < size)) {
    throw unknown(spec, 'size must be a whole number from 1, overlap one from 0 and below size');
  }
  if (spec.strategy === 'structure' && spec.version === 1) {
    return chunkStructure(spec, blocks, carry?.strategy === 'structure' ? carry : startStructure, final);
  }
  if (spec.strategy === 'fixed' && spec.version === 1) {
    return chunkFixed(spec, blocks, carry?.strategy === 'fixed' ? carry : startFixed, final);
  }
  throw unknown(spec, 'this release has structure/1 and fixed/1');
}

const unknown = (spec: ChunkerSpec, why: string): SluiceError =>
  new SluiceError('invalid-argument', `cannot chunk with "${describeSpec(spec)}": ${why}`);
