import type { Citation, RetrievalHit } from '../../schema/generated.js';
import { findMarkers } from '../domain/citations/markers.js';
import type { ContextHit, IncludedHit } from '../domain/context/assemble.js';
import { codePoints } from '../domain/text.js';
import { quoteFor } from '../domain/citations/quote.js';
import { statementBefore } from '../domain/citations/statement.js';

/** A hit with its text, as it came from the retrieval and as it stands in the context. */
export interface AnswerHit extends ContextHit {
  readonly retrieved: RetrievalHit;
  readonly page: number | null;
}

/**
 * The citations of an answer in order of appearance: per marker and passage, the sentence of the passage that the
 * statement before the marker rests on, with its exact place in the decoded text.
 */
export function citationsOf(answer: string, passages: readonly IncludedHit<AnswerHit>[]): Citation[] {
  const citations = new Map<string, Citation>();
  const markers = findMarkers(answer, passages.length);
  markers.forEach((marker, index) => {
    const statement = statementBefore(answer, markers, index);
    for (const ordinal of marker.ordinals) {
      const passage = passages[ordinal - 1];
      if (passage === undefined) continue;
      const citation = citationOf(ordinal, passage, statement);
      const id = `${ordinal}:${citation.start}:${citation.end}`;
      if (!citations.has(id)) citations.set(id, citation);
    }
  });
  return [...citations.values()];
}

function citationOf(n: number, { hit, text }: IncludedHit<AnswerHit>, statement: string): Citation {
  const { chunk_id, document_id, collection, source, title, seq } = hit.retrieved;
  const span = quoteFor(statement, text);
  const quote = text.slice(span.start, span.end);
  const start = hit.start + codePoints(text.slice(0, span.start));
  return {
    ...{ n, chunk_id, document_id, collection, source, title, seq, heading_path: [...hit.headingPath] },
    ...{ page: hit.page, start, end: start + codePoints(quote), quote },
  };
}
