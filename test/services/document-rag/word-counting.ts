import { defaultLexicalAnalysis } from '../../../services/domain/lexical-analysis.js';
import { terms } from '../../../services/domain/lexical/terms.js';
import type { EmbeddingModel } from '../../../services/ports/embedding-model/port.js';

const dimensions = 256;

/** A model at the port whose vectors count words: texts are alike when they share some. */
export function wordCounting(rest: Partial<EmbeddingModel> = {}): EmbeddingModel {
  const embed = (text: string): Float32Array => {
    const vector = new Float32Array(dimensions);
    for (const term of terms(text, defaultLexicalAnalysis)) {
      const place = [...term].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % dimensions, 7);
      vector[place] = (vector[place] ?? 0) + 1;
    }
    return vector;
  };
  return {
    space: { id: 'words', model: 'words', dimensions },
    fusion: { method: 'relative', denseWeight: 0.3 },
    maxBatch: 16,
    windows: (texts) => Promise.resolve(texts.map(() => 1)),
    embedPassages: (texts) => Promise.resolve(texts.map((text) => ({ vector: embed(text), windows: 1 }))),
    embedQuery: (text) => Promise.resolve(embed(text)),
    close: () => Promise.resolve(),
    ...rest,
  };
}
