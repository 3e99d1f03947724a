import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect } from 'vitest';
import type { ChunkerSpec } from '../../../services/domain/chunker-spec.js';
import { codePoints, type Chunk } from '../../../services/domain/text.js';

const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The size of a text by an independent count. */
export function sizeOf(text: string, tokenizer: ChunkerSpec['tokenizer']): number {
  if (tokenizer === 'characters') return codePoints(text);
  if (tokenizer === 'words') return text.split(/\s+/).filter((word) => word !== '').length;
  return countTokens(text, asText);
}

/** The places between graphemes, in code points. */
export function graphemeBounds(text: string): ReadonlySet<number> {
  const bounds = new Set<number>([0]);
  let at = 0;
  // Line by line, since a line's end always is a bound and the segmenter is slow on long strings.
  for (const line of text.split(/(?<=\n)/)) {
    if (/^[\0-\x7f]*$/.test(line)) for (let unit = 0; unit < line.length; unit++) bounds.add(++at);
    else for (const { segment } of graphemes.segment(line)) bounds.add((at += codePoints(segment)));
  }
  return bounds;
}

/** What holds of the chunks of any text: exact offsets, full cover, the size limit, whole graphemes, no blank chunk. */
export function expectInvariants(
  chunkerSpec: ChunkerSpec,
  text: string,
  chunks: readonly Chunk[],
  bounds = graphemeBounds(text),
): void {
  const points = [...text];
  const covered = new Uint8Array(points.length);
  let start = -1;
  const broken: string[] = [];
  chunks.forEach((chunk, index) => {
    const holds = (what: string, isTrue: boolean): void => {
      if (!isTrue) broken.push(`${what}: chunk ${index} ${JSON.stringify(chunk).slice(0, 400)}`);
    };
    holds('its number', chunk.seq === index);
    holds('the text from start to end', points.slice(chunk.start, chunk.end).join('') === chunk.text);
    holds('not blank', chunk.text.trim() !== '');
    holds('after the one before', chunk.start > start);
    holds('whole graphemes', bounds.has(chunk.start) && bounds.has(chunk.end));
    const size = sizeOf(`${chunk.lead ?? ''}${chunk.text}`, chunkerSpec.tokenizer);
    holds(`size ${size}`, size <= chunkerSpec.size || [...graphemes.segment(chunk.text)].length === 1);
    start = chunk.start;
    covered.fill(1, chunk.start, chunk.end);
  });
  expect(broken, JSON.stringify(chunkerSpec)).toEqual([]);
  const missed = points.findIndex((point, index) => covered[index] === 0 && point.trim() !== '');
  expect(missed, `text at ${missed}: ${points.slice(missed, missed + 40).join('')}`).toBe(-1);
}
