import { counted, count, duration } from '../output/numbers.js';
import type { Output } from '../output/output.js';
import { safeLine } from '../output/safe-text.js';
import type { LoadSummary } from './tally.js';

const mostFailuresShown = 20;

/** The result of a load for people. */
export function printSummary(output: Output, summary: LoadSummary, collection: string): void {
  const style = output.out;
  const { failed, unchanged } = summary;
  const loaded = summary.new + summary.changed;
  if (loaded === 0 && failed.length === 0) {
    output.line(`Nothing new: ${counted(unchanged, 'document')} unchanged, nothing was embedded.`);
    return;
  }
  const parts = [
    `${count(summary.new)} new`,
    `${count(summary.changed)} changed`,
    `${count(unchanged)} unchanged`,
    failed.length > 0 ? style.red(`${count(failed.length)} failed`) : '0 failed',
  ];
  output.line(
    `${style.bold(parts.slice(0, 3).join(', '))}, ${parts[3] ?? ''} in ${style.bold(collection)}: ` +
      `${counted(summary.chunks, 'chunk')} in ${duration(summary.seconds)}.`,
  );
  for (const failure of failed.slice(0, mostFailuresShown)) {
    output.line(`  ${style.red('failed')} ${safeLine(failure.source)}: ${safeLine(failure.reason)}`);
  }
  if (failed.length > mostFailuresShown) {
    output.line(`  and ${count(failed.length - mostFailuresShown)} more: --json lists all`);
  }
}
