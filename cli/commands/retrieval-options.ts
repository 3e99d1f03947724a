import { Option, type Command } from 'commander';
import type { SearchRequest } from '../../gateway/client/client.js';
import { numberWithin, repeated, whereOf, wholeNumber } from '../arguments.js';

/** What `search` and `ask` have in common. */
export interface RetrievalOptions {
  readonly collection?: readonly string[];
  readonly limit?: number;
  readonly mode?: 'semantic' | 'lexical' | 'hybrid';
  readonly minScore?: number;
  readonly where?: string;
  readonly rank?: 'mmr' | 'recency' | 'rerank';
  readonly fusion?: 'rrf' | 'relative';
  readonly denseWeight?: number;
  readonly capPerSource?: number;
}

export const withRetrieval = (command: Command): Command =>
  command
    .option('-c, --collection <name>', 'search this one; may be given several times; default: all', repeated)
    .option('-n, --limit <count>', 'how many chunks; default 5', wholeNumber(1, 1000))
    .addOption(
      new Option('--mode <mode>', 'which lists to ask; default hybrid').choices(['semantic', 'lexical', 'hybrid']),
    )
    .option('--min-score <score>', 'leave out what scores less; not with hybrid', numberWithin(-1, 1e9))
    .option('--where <condition>', "only documents whose metadata fit: 'year>=2020 AND topic=api', or the JSON form")
    .addOption(new Option('--rank <how>', 'rank the hits again').choices(['mmr', 'recency', 'rerank']))
    .addOption(
      new Option('--fusion <method>', 'how hybrid joins its lists; default: the model’s').choices(['rrf', 'relative']),
    )
    .option('--dense-weight <share>', 'the vector list’s share in the fusion', numberWithin(0, 1))
    .option('--cap-per-source <count>', 'the most hits of one source', wholeNumber(1, 1000));

/** The request's part that these options say. Throws UsageError. */
export const retrievalOf = (options: RetrievalOptions): Omit<SearchRequest, 'query'> => ({
  ...(options.collection === undefined ? {} : { collections: [...options.collection] }),
  ...(options.limit === undefined ? {} : { limit: options.limit }),
  ...(options.mode === undefined ? {} : { mode: options.mode }),
  ...(options.minScore === undefined ? {} : { min_score: options.minScore }),
  ...(options.where === undefined ? {} : { where: whereOf(options.where) }),
  ...(options.rank === undefined ? {} : { rank: options.rank }),
  ...(options.fusion === undefined ? {} : { fusion: options.fusion }),
  ...(options.denseWeight === undefined ? {} : { dense_weight: options.denseWeight }),
  ...(options.capPerSource === undefined ? {} : { cap_per_source: options.capPerSource }),
});
