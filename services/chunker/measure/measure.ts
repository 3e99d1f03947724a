import type { ChunkerSpec } from '../../domain/chunker-spec.js';
import { measureCharacters } from './characters.js';
import { measureTokens } from './tokens.js';
import { measureWords } from './words.js';

/** Sizes of stretches of one text, in one unit. */
export interface Measure {
  /** The size of `text.slice(start, end)` by itself; both are UTF-16 positions, and the stretch ends in no space. */
  count(start: number, end: number): number;
}

const measures = { o200k_base: measureTokens, words: measureWords, characters: measureCharacters };

/**
 * Prepares a text so that any stretch of it can be measured without reading it again.
 * `offset`: where the text begins in its document, in UTF-16 units; equal stretches measure alike wherever the text
 * in hand happens to begin.
 */
export const measureText = (tokenizer: ChunkerSpec['tokenizer'], text: string, offset: number): Measure =>
  measures[tokenizer](text, offset);
