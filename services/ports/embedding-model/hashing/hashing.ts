import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { terms } from '../../../domain/lexical/terms.js';
import { countTerms } from '../../../domain/lexical/bm25.js';
import { defaultLexicalAnalysis } from '../../../domain/lexical-analysis.js';
import type { EmbeddingModel, PassageEmbedding } from '../port.js';
import { spaceIdOf } from '../space-id.js';

const dimensions = 1024;
const model = 'hashing';
/** Texts between two breaths of the event loop: about 5 ms of work. */
const textsAtOnce = 16;

/** FNV-1a (Fowler, Noll, Vo) over UTF-16 units, then murmur3's finaliser, so that low bits are as good as high ones. */
function hash(term: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < term.length; index++) {
    value = Math.imul(value ^ term.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/**
 * Signed feature hashing (Weinberger et al. 2009) of stemmed, stop-worded terms, each weighted 1 + ln tf, unit length.
 * A text without terms is the zero vector.
 */
export function hashedVector(text: string): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const [term, count] of countTerms(terms(text, defaultLexicalAnalysis))) {
    const code = hash(term);
    const place = code % dimensions;
    const sign = code & 0x80000000 ? -1 : 1;
    vector[place] = (vector[place] ?? 0) + sign * (1 + Math.log(count));
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length > 0) for (let index = 0; index < dimensions; index++) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}

/**
 * The embedded default: no weights, no download, and no knowledge of meaning beyond shared word stems; its name says so.
 * Deterministic on every machine.
 */
export function createHashingModel(): EmbeddingModel {
  const encoder = 'english stems, 1 + ln tf';
  return {
    space: {
      id: spaceIdOf({
        provider: 'sluice',
        model,
        revision: '1',
        dimensions,
        pooling: 'signed sum',
        normalised: true,
        documents: encoder,
        queries: encoder,
      }),
      model,
      dimensions,
    },
    // A weak ranking of its own: at equal weight it would pull a good lexical list down.
    fusion: { method: 'relative', denseWeight: 0.3 },
    maxBatch: 256,
    async embedPassages(texts, signal) {
      const results: PassageEmbedding[] = [];
      for (const text of texts) {
        if (results.length > 0 && results.length % textsAtOnce === 0)
          await yieldToOthers(undefined, signal && { signal });
        results.push({ vector: hashedVector(text), windows: 1 });
      }
      return results;
    },
    embedQuery: (text) => Promise.resolve(hashedVector(text)),
    close: () => Promise.resolve(),
  };
}
