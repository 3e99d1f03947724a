import type { AskResult, Citation } from '../../gateway/client/client.js';
import type { Output } from './output.js';
import { safeText } from './safe-text.js';
import { excerpt, placeOf } from './sources.js';
import { columns } from './wrap.js';

/** Writes text as it comes, broken at spaces to the terminal's width; elsewhere as it is. */
export function answerWriter(output: Output): { write(text: string): void; end(): void } {
  const { interactive, width } = output.out;
  let column = 0;
  let word = '';
  const flush = (): void => {
    if (word === '') return;
    const length = columns(word);
    if (column > 0 && column + 1 + length > width) {
      output.write('\n');
      column = 0;
    } else if (column > 0) {
      output.write(' ');
      column++;
    }
    output.write(word);
    column += length;
    word = '';
  };
  return {
    write: (raw) => {
      const text = safeText(raw);
      if (!interactive) {
        output.write(text);
        return;
      }
      for (const character of text) {
        if (character !== ' ' && character !== '\n') {
          word += character;
          continue;
        }
        flush();
        if (character === '\n') {
          output.write('\n');
          column = 0;
        }
      }
    },
    end: () => {
      flush();
      output.write('\n');
    },
  };
}

/** The numbered sources under an answer, and which model answered. */
export function printSources(output: Output, result: AskResult, cwd: string, quoteLines = 3): void {
  const style = output.out;
  const byMarker = new Map<number, Citation[]>();
  for (const citation of result.citations) {
    byMarker.set(citation.n, [...(byMarker.get(citation.n) ?? []), citation]);
  }
  if (byMarker.size > 0) {
    output.line();
    output.line(style.bold('Sources'));
  }
  for (const [n, citations] of [...byMarker].sort(([a], [b]) => a - b)) {
    const [first] = citations;
    if (first !== undefined) output.line(`  ${style.cyan(`[${n}]`)} ${placeOf(first, cwd, style)}`);
    for (const quote of new Set(citations.map((citation) => citation.quote.trim()))) {
      output.line(excerpt(`“${quote}”`, style, '      ', quoteLines));
    }
  }
  if (result.missing_lists.length > 0) {
    output.line();
    output.line(style.yellow(`Answered without the ${result.missing_lists.join(' and ')} list, which failed.`));
  }
  output.line();
  output.line(style.dim(`answered by ${safeText(result.model)}`));
}
