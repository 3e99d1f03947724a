import type { SearchHit } from '../../gateway/client/client.js';
import { explanationOf } from './explain.js';
import type { Output } from './output.js';
import { safeLine } from './safe-text.js';
import { snippet } from './snippet.js';
import { excerpt, placeOf } from './sources.js';

const indent = ' '.repeat(11);
const lines = 3;

/** Ranked hits for people: number, score, place and the lines of the text that are nearest to the query. */
export function printHits(output: Output, query: string, hits: readonly SearchHit[], cwd: string): void {
  const style = output.out;
  for (const [index, hit] of hits.entries()) {
    const score = hit.rerank_score ?? hit.score;
    output.line(`${style.cyan(String(index + 1).padStart(2))}  ${score.toFixed(3)}  ${placeOf(hit, cwd, style)}`);
    output.line(
      hit.hydrated
        ? excerpt(snippet(safeLine(hit.text), query, lines * (style.width - indent.length)), style, indent, lines)
        : style.yellow(`${indent}(its text is missing in the store)`),
    );
    for (const line of explanationOf(hit.explain ?? {})) output.line(style.dim(`${indent}${line}`));
    output.line(style.dim(`${indent}${hit.chunk_id}`));
    output.line();
  }
}
