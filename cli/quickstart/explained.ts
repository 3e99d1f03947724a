import type { SearchResult } from '../../gateway/client/client.js';
import { matchedTerms, placeInList } from '../output/explain.js';
import type { Output } from '../output/output.js';
import { placeOf } from '../output/sources.js';
import { wrap } from '../output/wrap.js';

const shown = 3;

/** One search with its reasons: which list found what, and how they were joined. */
export function printExplained(output: Output, query: string, result: SearchResult, cwd: string): void {
  const style = output.out;
  output.line(`\n${style.bold('How that was found')}`);
  output.line(
    wrap(
      `Two lists are searched, vectors for meaning and words for exact terms, and joined${fusionOf(result.explain)}. ` +
        `For “${query}”:`,
      style.width - 2,
      '  ',
    ),
  );
  for (const [index, hit] of result.hits.slice(0, shown).entries()) {
    const terms = matchedTerms(hit.explain?.['lexical']);
    output.line(`\n  ${style.cyan(`${index + 1}.`)} ${hit.score.toFixed(3)}  ${placeOf(hit, cwd, style)}`);
    output.line(style.dim(`     vectors: ${placeInList(hit.explain?.['vector'])}`));
    output.line(
      style.dim(`     words:   ${placeInList(hit.explain?.['lexical'])}${terms === '' ? '' : ` (${terms})`}`),
    );
  }
}

function fusionOf(explain: SearchResult['explain']): string {
  const fusion = explain?.['fusion'];
  if (typeof fusion !== 'object' || fusion === null || !('method' in fusion)) return '';
  const weight = 'dense_weight' in fusion && typeof fusion.dense_weight === 'number' ? fusion.dense_weight : undefined;
  return weight === undefined
    ? ` (${String(fusion.method)})`
    : ` (${String(fusion.method)}, ${Math.round(weight * 100)} % vectors)`;
}
