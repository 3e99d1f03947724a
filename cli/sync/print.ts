import { count, counted, duration } from '../output/numbers.js';
import type { Output } from '../output/output.js';
import { safeLine } from '../output/safe-text.js';
import type { Failure } from '../load/tally.js';
import type { SyncPlan, SyncSummary } from './result.js';

const mostFailuresShown = 20;

/** The plan of a sync for people: a line a document. */
export function printPlan(output: Output, plan: SyncPlan): void {
  for (const kind of ['new', 'changed', 'gone'] as const) {
    for (const source of plan[kind]) output.line(`${kind.padEnd(9)}${safeLine(source)}`);
  }
  printFailures(output, plan.failed);
  output.line(
    `${count(plan.new.length)} new, ${count(plan.changed.length)} changed, ${count(plan.unchanged)} unchanged, ` +
      `${count(plan.gone.length)} gone. Nothing was sent or deleted.`,
  );
}

/** The result of a sync for people. */
export function printSync(output: Output, summary: SyncSummary, prune: boolean): void {
  printFailures(output, summary.failed);
  output.line(
    `${count(summary.new)} new, ${count(summary.changed)} changed, ${count(summary.unchanged)} unchanged, ` +
      `${count(summary.gone.length)} gone, ${count(summary.deleted)} deleted: ` +
      `${counted(summary.chunks, 'chunk')} in ${duration(summary.seconds)}.`,
  );
  if (summary.gone.length === 0) return;
  if (!prune) output.note(`${counted(summary.gone.length, 'document')} without a file: give --prune to delete them`);
  else if (summary.deleted === 0) output.note('Nothing was deleted: not all of the roots could be read.');
}

function printFailures(output: Output, failed: readonly Failure[]): void {
  for (const failure of failed.slice(0, mostFailuresShown)) {
    output.line(`${output.out.red('failed')}   ${safeLine(failure.source)}: ${safeLine(failure.reason)}`);
  }
  if (failed.length > mostFailuresShown) {
    output.line(`and ${count(failed.length - mostFailuresShown)} more: --json lists all`);
  }
}
