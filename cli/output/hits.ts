import type { SearchHit } from '../../gateway/client/client.js';
import { explanationOf } from './explain.js';
import type { Output } from './output.js';
import { excerpt, placeOf } from './sources.js';

/** Ranked hits for people: number, score, place and the first lines of the text. */
export function printHits(output: Output, hits: readonly SearchHit[], cwd: string): void {
  const style = output.out;
  for (const [index, hit] of hits.entries()) {
    const score = hit.rerank_score ?? hit.score;
    output.line(`${style.cyan(String(index + 1).padStart(2))}  ${score.toFixed(3)}  ${placeOf(hit, cwd, style)}`);
    output.line(
      hit.hydrated
        ? excerpt(hit.text, style, '           ', 3)
        : style.yellow('           (its text is missing in the store)'),
    );
    for (const line of explanationOf(hit.explain ?? {})) output.line(style.dim(`           ${line}`));
    output.line(style.dim(`           ${hit.chunk_id}`));
    output.line();
  }
}
