import { passageSentences } from '../../../domain/claims/passage-sentences.js';
import { terms } from '../../../domain/lexical/terms.js';
import type { LexicalAnalysis } from '../../../domain/lexical-analysis.js';
import type { Passage } from '../port.js';

/** A sentence that may answer. */
export interface Candidate {
  readonly marker: number;
  /** Its place among all sentences of the context. */
  readonly place: number;
  readonly text: string;
  /** 0 to 1: how much of the question's words it (or, for half, its headings) has, rare words counting more. */
  readonly overlap: number;
  /** Whether it has two different words of the question, or the only one: a single word in common is chance. */
  readonly telling: boolean;
}

/** Every different sentence of the passages with its term overlap, in order. */
export function candidateSentences(
  question: string,
  passages: readonly Passage[],
  analysis: LexicalAnalysis,
): readonly Candidate[] {
  const seen = new Set<string>();
  const sentences = passages.flatMap(({ marker, text, headingPath }) => {
    const headings = new Set(terms(headingPath.join(' '), analysis));
    return passageSentences(text).flatMap(({ start, end }) => {
      const sentence = text.slice(start, end);
      if (seen.has(sentence)) return [];
      seen.add(sentence);
      return [{ marker, text: sentence, words: new Set(terms(sentence, analysis)), headings }];
    });
  });
  const asked = [...new Set(terms(question, analysis))];
  const weights = new Map(
    asked.map((word) => [word, rarity(sentences.filter(({ words }) => words.has(word)).length, sentences.length)]),
  );
  const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);
  const all = sum([...weights.values()]);
  return sentences.map(({ marker, text, words, headings }, place) => {
    const parts = [...weights].map(([word, weight]) =>
      words.has(word) ? weight : headings.has(word) ? weight / 2 : 0,
    );
    const shared = parts.filter((part) => part > 0).length;
    const telling = shared >= Math.min(2, asked.length) && shared > 0;
    return { marker, place, text, overlap: all === 0 ? 0 : sum(parts) / all, telling };
  });
}

/** BM25's idf: what few sentences say tells more, and what none says counts most against all of them. */
const rarity = (holding: number, all: number): number => Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
