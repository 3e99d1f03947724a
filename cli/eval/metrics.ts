import { lengthOf, overlaps, sharedLength, type Span } from './spans.js';

/** The figures of one ranked list; each between 0 and 1. */
export interface Metrics {
  /** 1 if one of the first k chunks overlaps a reference. */
  readonly hit_rate_at_5: number;
  readonly hit_rate_at_10: number;
  /** Reference characters that the first k chunks cover ÷ all reference characters. */
  readonly char_recall_at_5: number;
  readonly char_recall_at_10: number;
  /** Reference characters that the first k chunks cover ÷ all characters of those chunks. */
  readonly precision_at_5: number;
  readonly precision_at_10: number;
  /** 1 ÷ the rank of the first chunk that overlaps a reference; 0 beyond rank 10. */
  readonly mrr_at_10: number;
}

export const metricNames = [
  'hit_rate_at_5',
  'hit_rate_at_10',
  'char_recall_at_5',
  'char_recall_at_10',
  'precision_at_5',
  'precision_at_10',
  'mrr_at_10',
] as const satisfies readonly (keyof Metrics)[];

/** One question's figures: `ranked` is the retrieved chunks, best first; `references` is what answers it. */
export function measure(ranked: readonly Span[], references: readonly Span[]): Metrics {
  const first = ranked.findIndex((chunk) => references.some((reference) => overlaps(chunk, reference)));
  const wanted = lengthOf(references);
  const at = (k: number) => {
    const top = ranked.slice(0, k);
    const covered = sharedLength(top, references);
    const retrieved = lengthOf(top);
    return {
      hit: first !== -1 && first < k ? 1 : 0,
      recall: wanted === 0 ? 0 : covered / wanted,
      precision: retrieved === 0 ? 0 : covered / retrieved,
    };
  };
  const five = at(5);
  const ten = at(10);
  return {
    hit_rate_at_5: five.hit,
    hit_rate_at_10: ten.hit,
    char_recall_at_5: five.recall,
    char_recall_at_10: ten.recall,
    precision_at_5: five.precision,
    precision_at_10: ten.precision,
    mrr_at_10: first === -1 || first >= 10 ? 0 : 1 / (first + 1),
  };
}

/** The mean over questions, figure by figure; all 0 without questions. */
export function mean(all: readonly Metrics[]): Metrics {
  const of = (name: keyof Metrics): number =>
    all.length === 0 ? 0 : all.reduce((sum, one) => sum + one[name], 0) / all.length;
  return {
    hit_rate_at_5: of('hit_rate_at_5'),
    hit_rate_at_10: of('hit_rate_at_10'),
    char_recall_at_5: of('char_recall_at_5'),
    char_recall_at_10: of('char_recall_at_10'),
    precision_at_5: of('precision_at_5'),
    precision_at_10: of('precision_at_10'),
    mrr_at_10: of('mrr_at_10'),
  };
}
