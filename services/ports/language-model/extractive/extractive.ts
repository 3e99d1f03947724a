import { escapeMarkers } from '../../../domain/citations/markers.js';
import { defaultLexicalAnalysis, type LexicalAnalysis } from '../../../domain/lexical-analysis.js';
import { o200kTokens } from '../../../domain/o200k-tokens.js';
import type { EmbeddingModel } from '../../embedding-model/port.js';
import type { GenerationPart, GenerationRequest, LanguageModel } from '../port.js';
import { candidateSentences, type Candidate } from './sentence-scores.js';

export interface ExtractiveOptions {
  /** Compares question and sentences. Not closed with this model. */
  readonly embeddingModel: EmbeddingModel;
  /** 0 to 1: the least score of a sentence that answers; below it the answer is "not found". */
  readonly minScore?: number;
  /** The most sentences of an answer. */
  readonly maxSentences?: number;
  /** Said when no sentence answers. */
  readonly notFoundText?: string;
  /** How the words of questions and sentences are compared. */
  readonly lexical?: LexicalAnalysis;
}

/** Sentences that are embedded, those with the greatest term overlap first: encoding all of a long context takes too long. */
const mostEmbedded = 48;
/** A sentence that scores less than this share of the best one adds nothing. */
const shareOfBest = 0.7;

interface ScoredSentence extends Candidate {
  readonly score: number;
}

/**
 * Answers with sentences of the passages themselves, those nearest to the question by embedding and by words, each
 * followed by its `[n]`, one a line. It writes nothing of its own, and its name says so.
 */
export function createExtractiveModel(options: ExtractiveOptions): LanguageModel {
  const {
    embeddingModel,
    minScore = 0.3,
    maxSentences = 3,
    notFoundText = 'Not found in the collection.',
    lexical = defaultLexicalAnalysis,
  } = options;

  async function* generate({ question, passages, signal }: GenerationRequest): AsyncIterable<GenerationPart> {
    const inputTokens = o200kTokens([question, ...passages.map(({ text }) => text)].join('\n'));
    const candidates = candidateSentences(question, passages, lexical);
    const ranked = await scoreSentences(question, candidates, embeddingModel, signal);
    const best = ranked[0]?.score ?? 0;
    const chosen = ranked
      .filter(({ score }) => score >= minScore && score >= shareOfBest * best)
      .slice(0, maxSentences);
    const lines = chosen.map(({ text, marker }) => `${quoted(text)} [${marker}]`);
    let outputTokens = 0;
    for (const [index, line] of (lines.length === 0 ? [notFoundText] : lines).entries()) {
      signal?.throwIfAborted();
      const text = index === 0 ? line : `\n${line}`;
      outputTokens += o200kTokens(text);
      yield { kind: 'text', text };
    }
    signal?.throwIfAborted();
    yield { kind: 'end', finishReason: 'stop', inputTokens, outputTokens, found: lines.length > 0 };
  }

  return {
    name: `extractive (${embeddingModel.space.model})`,
    contextWindow: Number.MAX_SAFE_INTEGER,
    countTokens: o200kTokens,
    generate,
    close: () => Promise.resolve(),
  };
}

/** A sentence on one line, its own brackets kept from being read as citations. */
const quoted = (sentence: string): string => escapeMarkers(sentence.replace(/\s+/gu, ' '));

async function scoreSentences(
  question: string,
  candidates: readonly Candidate[],
  model: EmbeddingModel,
  signal: AbortSignal | undefined,
): Promise<readonly ScoredSentence[]> {
  const nearest = [...candidates].sort((a, b) => b.overlap - a.overlap || a.place - b.place).slice(0, mostEmbedded);
  if (nearest.length === 0) return [];
  const asked = await model.embedQuery(question, signal);
  const scored: ScoredSentence[] = [];
  for (let from = 0; from < nearest.length; from += model.maxBatch) {
    signal?.throwIfAborted();
    const batch = nearest.slice(from, from + model.maxBatch);
    const embedded = await model.embedPassages(
      batch.map(({ text }) => text),
      signal,
    );
    batch.forEach((candidate, index) => {
      const likeness = cosine(asked, embedded[index]?.vector);
      scored.push({ ...candidate, score: (Math.max(0, likeness) + candidate.overlap) / 2 });
    });
  }
  return scored.sort((a, b) => b.score - a.score || a.place - b.place);
}

function cosine(a: Float32Array, b: Float32Array | undefined): number {
  if (b === undefined) return 0;
  let [product, ofA, ofB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    const [x, y] = [a[index] ?? 0, b[index] ?? 0];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA > 0 && ofB > 0 ? product / Math.sqrt(ofA * ofB) : 0;
}
