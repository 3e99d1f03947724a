import type { SearchRequest, SluiceApi } from '../../gateway/client/client.js';
import { pairedBootstrap, type Comparison } from './bootstrap.js';
import { mean, measure, type Metrics } from './metrics.js';
import type { Question } from './questions.js';
import type { Span } from './spans.js';

/** The three ranked lists that are measured, and the mode that asks for each. */
export const lists = { semantic: 'semantic', lexical: 'lexical', fusion: 'hybrid' } as const;
export type ListName = keyof typeof lists;
const listNames = ['semantic', 'lexical', 'fusion'] as const satisfies readonly ListName[];

export interface CorpusQuestions {
  readonly corpus: string;
  readonly documentId: string;
  readonly questions: readonly Question[];
}

export type Scores = Readonly<Record<ListName, Metrics>> & { readonly questions: number };

export interface Evaluation extends Scores {
  readonly corpora: Readonly<Record<string, Scores>>;
  /** Fusion minus the lexical list, question by question. */
  readonly fusion_vs_lexical: Readonly<Record<'hit_rate_at_5' | 'char_recall_at_5' | 'mrr_at_10', Comparison>>;
}

/** Where to search, and what the fusion is told beside its mode. */
export interface Setup {
  readonly collection: string;
  readonly fusion: Pick<SearchRequest, 'fusion' | 'dense_weight'>;
}

const depth = 10;
const atATime = 4;

type Measured = Readonly<Record<ListName, Metrics>>;

/** Asks every question of every list and scores what comes back. `onAsked` is called after each question. */
export async function evaluate(
  client: SluiceApi,
  setup: Setup,
  corpora: readonly CorpusQuestions[],
  signal: AbortSignal,
  onAsked: () => void,
): Promise<Evaluation> {
  const measured = new Map<string, Measured[]>();
  for (const { corpus, documentId, questions } of corpora) {
    const results: Measured[] = [];
    const waiting = [...questions.entries()];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, question] = next;
        results[index] = await measureQuestion(client, setup, documentId, question, signal);
        onAsked();
      }
    };
    await Promise.all(Array.from({ length: atATime }, worker));
    measured.set(corpus, [...(measured.get(corpus) ?? []), ...results]);
  }
  return summarize(measured);
}

async function measureQuestion(
  client: SluiceApi,
  { collection, fusion }: Setup,
  documentId: string,
  { question, references }: Question,
  signal: AbortSignal,
): Promise<Measured> {
  const wanted = references.map(({ start, end }): Span => ({ document: documentId, start, end }));
  const of = async (list: ListName): Promise<Metrics> => {
    const { hits } = await client.search(
      {
        ...{ query: question, collections: [collection], limit: depth, mode: lists[list] },
        ...(list === 'fusion' ? fusion : {}),
      },
      { signal },
    );
    const ranked = hits.map((hit): Span => ({ document: hit.document_id, start: hit.start, end: hit.end }));
    return measure(ranked, wanted);
  };
  return { semantic: await of('semantic'), lexical: await of('lexical'), fusion: await of('fusion') };
}

/** Means over all questions and over each corpus's, and the comparison of the fusion with its lexical list. */
export function summarize(measured: ReadonlyMap<string, readonly Measured[]>): Evaluation {
  const all = [...measured.values()].flat();
  const compare = (name: 'hit_rate_at_5' | 'char_recall_at_5' | 'mrr_at_10'): Comparison =>
    pairedBootstrap(
      all.map((one) => one.fusion[name]),
      all.map((one) => one.lexical[name]),
    );
  return {
    ...scoresOf(all),
    corpora: Object.fromEntries([...measured].map(([corpus, results]) => [corpus, scoresOf(results)])),
    fusion_vs_lexical: {
      hit_rate_at_5: compare('hit_rate_at_5'),
      char_recall_at_5: compare('char_recall_at_5'),
      mrr_at_10: compare('mrr_at_10'),
    },
  };
}

function scoresOf(results: readonly Measured[]): Scores {
  const [semantic, lexical, fusion] = listNames.map((list) => mean(results.map((one) => one[list])));
  const none = mean([]);
  return {
    questions: results.length,
    semantic: semantic ?? none,
    lexical: lexical ?? none,
    fusion: fusion ?? none,
  };
}
