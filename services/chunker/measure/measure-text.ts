import type { ChunkerSpec } from '../../domain/chunker-spec.js';
import { measureCharacters } from './characters.js';
import type { Measure } from './measure.js';
import { measureTokens } from './tokens.js';
import { measureWords } from './words.js';

const measures = { o200k_base: measureTokens, words: measureWords, characters: measureCharacters };

/**
 * Prepares a text so that any stretch of it can be measured without reading it again.
 * `offset`: where the text begins in its document, in UTF-16 units; equal stretches measure alike wherever the text
 * in hand happens to begin.
 */
export const measureText = (tokenizer: ChunkerSpec['tokenizer'], text: string, offset: number): Measure =>
  measures[tokenizer](text, offset);
