import { oneLine } from '../claims/one-line.js';
import { passageSentences, type Span } from '../claims/passage-sentences.js';
import { defaultLexicalAnalysis } from '../lexical-analysis.js';
import { terms } from '../lexical/terms.js';
import { unescapeMarkers } from './markers.js';

/** A sentence shares at least this part of a statement's words, or it is not what the statement rests on. */
const leastShared = 0.5;
/** Shorter pieces occur by chance. */
const telling = 20;

/**
 * The sentence of a passage that a statement repeats, else the one that shares most of its words, else the whole
 * passage. Indices into the passage's string.
 */
export function quoteFor(statement: string, passage: string): Span {
  const sentences = passageSentences(passage).map((span) => ({
    span,
    line: oneLine(passage.slice(span.start, span.end)),
  }));
  const said = oneLine(unescapeMarkers(statement));
  const repeated =
    sentences.find(({ line }) => line === said) ??
    sentences.find(({ line }) => said.length >= telling && line.includes(said)) ??
    sentences.find(({ line }) => line.length >= telling && said.includes(line));
  if (repeated !== undefined) return repeated.span;
  const asked = new Set(terms(said, defaultLexicalAnalysis));
  const shares = sentences.map(({ span, line }) => {
    const words = new Set(terms(line, defaultLexicalAnalysis));
    return { span, share: [...asked].filter((word) => words.has(word)).length / Math.max(1, asked.size) };
  });
  const best = shares.reduce<(typeof shares)[number] | undefined>(
    (most, next) => (next.share > (most?.share ?? 0) ? next : most),
    undefined,
  );
  return best !== undefined && best.share >= leastShared ? best.span : { start: 0, end: passage.length };
}
