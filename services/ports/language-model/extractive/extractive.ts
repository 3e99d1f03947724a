import { escapeMarkers } from '../../../domain/citations/markers.js';
import { oneLine } from '../../../domain/claims/one-line.js';
import { defaultLexicalAnalysis, type LexicalAnalysis } from '../../../domain/lexical-analysis.js';
import { o200kTokens } from '../../../domain/o200k-tokens.js';
import type { EmbeddingModel } from '../../embedding-model/port.js';
import type { GenerationPart, GenerationRequest, LanguageModel } from '../port.js';
import { candidateSentences, type Candidate } from './sentence-scores.js';

export interface ExtractiveOptions {
  /** Compares question and sentences. Not closed with this model. */
  readonly embeddingModel: EmbeddingModel;
  /**
   * 0 to 1: the least share of the question's words, rare ones counting more, that a sentence must have to be an answer.
   * Words and not cosines decide what is found, for every embedding model has its own scale of those.
   */
  readonly minOverlap?: number;
  /** The most sentences of an answer. */
  readonly maxSentences?: number;
  /** Said when no sentence answers. */
  readonly notFoundText?: string;
  /** How the words of questions and sentences are compared. */
  readonly lexical?: LexicalAnalysis;
}

/** Sentences that are embedded, those with the greatest term overlap first: encoding all of a long context takes too long. */
const mostEmbedded = 48;
/** A sentence that scores less than this share of the best one adds little that is right. */
const shareOfBest = 0.6;
/** What the likeness of vectors adds to the overlap of words: a tie between sentences, not a verdict over them. */
const likenessWeight = 0.2;
/**
 * Measured on 220 questions over a speech and encyclopedia articles, five passages each: 97 % are answered (1.4 % of
 * them lose a right sentence), and of questions about other things 93 % (of the other text) and 88 % (of anything) are not.
 */
const measuredMinOverlap = 0.16;

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
    minOverlap = measuredMinOverlap,
    maxSentences = 3,
    notFoundText = 'Not found in the collection.',
    lexical = defaultLexicalAnalysis,
  } = options;

  async function* generate({ question, passages, signal }: GenerationRequest): AsyncIterable<GenerationPart> {
    const inputTokens = o200kTokens([question, ...passages.map(({ text }) => text)].join('\n'));
    const candidates = candidateSentences(question, passages, lexical).filter(
      ({ overlap, telling }) => telling && overlap >= minOverlap,
    );
    const ranked = await scoreSentences(question, candidates, embeddingModel, signal);
    const best = ranked[0]?.score ?? 0;
    const chosen = ranked.filter(({ score }) => score >= shareOfBest * best).slice(0, maxSentences);
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
const quoted = (sentence: string): string => escapeMarkers(oneLine(sentence));

async function scoreSentences(
  question: string,
  candidates: readonly Candidate[],
  model: EmbeddingModel,
  signal: AbortSignal | undefined,
): Promise<readonly ScoredSentence[]> {
  const nearest = [...candidates].sort((a, b) => b.overlap - a.overlap || a.place - b.place).slice(0, mostEmbedded);
  if (nearest.length === 0) return [];
  const asked = await model.embedQuery(question, signal);
  const likenesses: number[] = [];
  for (let from = 0; from < nearest.length; from += model.maxBatch) {
    signal?.throwIfAborted();
    const texts = nearest.slice(from, from + model.maxBatch).map(({ text }) => text);
    const embedded = await model.embedPassages(texts, signal);
    likenesses.push(...texts.map((_, index) => cosine(asked, embedded[index]?.vector)));
  }
  const [least, most] = [Math.min(...likenesses), Math.max(...likenesses)];
  return nearest
    .map((candidate, index) => {
      const likeness = most > least ? ((likenesses[index] ?? least) - least) / (most - least) : 1;
      return { ...candidate, score: candidate.overlap + likenessWeight * likeness };
    })
    .sort((a, b) => b.score - a.score || a.place - b.place);
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
