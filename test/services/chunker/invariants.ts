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

/** What holds of the chunks of any text: exact offsets, full cover, the size limit, whole graphemes, no blank chunk. */
export function expectInvariants(chunkerSpec: ChunkerSpec, text: string, chunks: readonly Chunk[]): void {
  const points = [...text];
  const bounds = new Set<number>([0, points.length]);
  let at = 0;
  for (const { segment } of graphemes.segment(text)) bounds.add((at += codePoints(segment)));
  const covered = new Uint8Array(points.length);
  let start = -1;
  chunks.forEach((chunk, index) => {
    const where = `chunk ${index} ${JSON.stringify(chunk).slice(0, 300)}`;
    expect(chunk.seq, where).toBe(index);
    expect(points.slice(chunk.start, chunk.end).join(''), where).toBe(chunk.text);
    expect(chunk.text.trim(), where).not.toBe('');
    expect(chunk.start, where).toBeGreaterThan(start);
    start = chunk.start;
    expect(bounds.has(chunk.start) && bounds.has(chunk.end), `graphemes of ${where}`).toBe(true);
    covered.fill(1, chunk.start, chunk.end);
    const single = [...graphemes.segment(chunk.text)].length === 1;
    if (!single) {
      expect(sizeOf(`${chunk.lead ?? ''}${chunk.text}`, chunkerSpec.tokenizer), where).toBeLessThanOrEqual(
        chunkerSpec.size,
      );
    }
  });
  const missed = points.findIndex((point, index) => covered[index] === 0 && point.trim() !== '');
  expect(missed, `text at ${missed}: ${points.slice(missed, missed + 40).join('')}`).toBe(-1);
}
