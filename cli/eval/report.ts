import type { Output } from '../output/output.js';
import { table } from '../output/table.js';
import type { Evaluation, Scores } from './evaluate.js';
import { metricNames } from './metrics.js';

const heading = ['', 'hit@5', 'hit@10', 'recall@5', 'recall@10', 'precision@5', 'precision@10', 'MRR@10'];

/** An evaluation as tables: all questions, then each corpus, then the fusion beside its lexical list. */
export function printEvaluation(output: Output, evaluation: Evaluation): void {
  const style = output.out;
  const block = (title: string, scores: Scores): void => {
    output.line(`\n${style.bold(title)}, ${scores.questions} questions`);
    const rows = (['semantic', 'lexical', 'fusion'] as const).map((list) => [
      list,
      ...metricNames.map((name) => scores[list][name].toFixed(3)),
    ]);
    output.line(table(heading, rows));
  };
  block('All', evaluation);
  const corpora = Object.entries(evaluation.corpora);
  if (corpora.length > 1) for (const [corpus, scores] of corpora) block(corpus, scores);
  output.line(`\n${style.bold('Fusion against its lexical list')} (paired bootstrap, 95 %)`);
  output.line(
    table(
      ['', 'difference', 'from', 'to', 'p', 'verdict'],
      Object.entries(evaluation.fusion_vs_lexical).map(([name, found]) => [
        name,
        signed(found.difference),
        signed(found.low),
        signed(found.high),
        found.p_value.toFixed(3),
        found.significant ? (found.difference > 0 ? 'better' : 'worse') : 'no significant difference',
      ]),
    ),
  );
  output.line(
    style.dim('\nhit: a chunk overlaps a reference; recall and precision: in characters; MRR: first overlapping chunk'),
  );
}

const signed = (value: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
