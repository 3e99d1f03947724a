import { embeddedText } from '../domain/text.js';
import { hydrate } from '../ports/blob-store/packs.js';
import { SluiceError } from '../domain/errors.js';
import type { VectorScope } from '../ports/vector-store/port.js';
import type { Match } from './fuse.js';
import type { RetrievalPlan } from './plan.js';
import type { RankInputs } from './rank.js';
import type { SearchPorts } from './search-ports.js';

/** Where rankings get vectors and texts from. */
export function rankInputs(
  plan: RetrievalPlan,
  scopes: readonly VectorScope[],
  { vectorStore, blobStore, reranker }: SearchPorts,
  now: Date,
  signal: AbortSignal,
): RankInputs {
  return {
    now,
    async vectors(matches) {
      const found = await Promise.all(
        scopes.map(async (scope) => {
          const here = matches.filter(({ candidate }) => candidate.collection === scope.collection);
          const ids = here.map(({ candidate }) => candidate.chunkId);
          return ids.length === 0 ? [] : [...(await vectorStore.vectors(scope, ids))];
        }),
      );
      return new Map(found.flat());
    },
    async rerank(matches) {
      if (reranker === undefined) throw new SluiceError('unsupported', 'no reranker is configured');
      const texts = await textsOf(matches, plan.workspace, blobStore);
      const scores = await reranker.rerank(plan.query, texts, signal);
      if (scores.length === texts.length && scores.every(Number.isFinite)) return scores;
      throw new SluiceError(
        'invalid-response',
        `reranker ${reranker.name} gave ${scores.length} scores for ${texts.length} texts, or one that is no number`,
      );
    },
  };
}

/** The texts of matches as they were embedded, in order; blank where a text is missing. */
export async function textsOf(
  matches: readonly Match[],
  workspace: string,
  blobStore: SearchPorts['blobStore'],
): Promise<readonly string[]> {
  const hits = matches.map(({ candidate }) => ({
    version_hash: candidate.versionHash ?? '',
    seq: candidate.seq,
    prefix: candidate.version?.chunkerSpec.contextPrefix ?? false,
  }));
  const hydrated = await hydrate(blobStore, workspace, hits);
  return hydrated.map(({ prefix, seq, start, end, text, lead, heading_path: headingPath }) =>
    embeddedText({ seq, start, end, text, headingPath, ...(lead === null ? {} : { lead }) }, prefix),
  );
}
