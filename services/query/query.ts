import { Type } from '@sinclair/typebox';
import type { RetrievalCompleted, RetrievalRequested } from '../../schema/generated.js';
import { topics } from '../../schema/topics.js';
import { errorInfo, SluiceError } from '../domain/errors.js';
import { replyTopic } from '../runtime/delivery/replies.js';
import { defineProcessor, output, type HandlerContext } from '../runtime/processor.js';
import { explainHits, explainSearch } from './explain.js';
import { hitOf } from './hits.js';
import { planRetrieval } from './plan.js';
import { search } from './search.js';
import { searchPorts } from './search-ports.js';

const queryConfig = Type.Object({
  concurrency: Type.Integer({
    description: 'How many retrievals are worked on at once.',
    default: 8,
    minimum: 1,
  }),
  maxQueryBytes: Type.Integer({
    description: 'The longest query text that is taken, in bytes of UTF-8.',
    default: 32_768,
    minimum: 1,
  }),
});

type Context = HandlerContext<(typeof searchPorts)[number], typeof queryConfig>;

/** Questions to ranked chunk ids, on the topic that the reply-topic header names. */
export const query = defineProcessor({
  name: 'query',
  input: topics.retrievalsRequested,
  outputs: [topics.retrievalsCompleted, topics.replies],
  ports: searchPorts,
  config: queryConfig,
  concurrency: (config) => config.concurrency,
  async handle(delivery, context) {
    const target = replyTopic(delivery, [topics.retrievalsCompleted, topics.replies]);
    const retrieval = await retrieve(delivery.value, context);
    // A processor gets the result as it is, a gateway in an envelope.
    return target === topics.replies
      ? [output(topics.replies, { kind: 'retrieval', retrieval })]
      : [output(topics.retrievalsCompleted, retrieval)];
  },
});

/**
 * An asker waits, so whatever has a name (a bad option, a model that does not answer) is an answer at once. Only what
 * nobody expected is thrown, for the runtime to try again.
 */
async function retrieve(request: RetrievalRequested, context: Context): Promise<RetrievalCompleted> {
  const begun = performance.now();
  try {
    const found = await retrieveHits(request, context);
    return { ...blank(request), ...found, milliseconds: performance.now() - begun };
  } catch (error) {
    if (!(error instanceof SluiceError) || context.signal.aborted) throw error;
    const info = errorInfo(error);
    const embeddings = request.embeddings === null ? null : { error: info, chunk_ids: [], scores: [] };
    return { ...blank(request), error: info, embeddings, milliseconds: performance.now() - begun };
  }
}

const blank = ({ workspace, continuation }: RetrievalRequested): Omit<RetrievalCompleted, 'milliseconds'> => ({
  ...{ workspace, continuation, error: null, hits: [], missing_lists: [], explain: null, embeddings: null },
});

async function retrieveHits(
  request: RetrievalRequested,
  { ports, config, signal, log }: Context,
): Promise<Pick<RetrievalCompleted, 'hits' | 'missing_lists' | 'explain' | 'embeddings'>> {
  const plan = planRetrieval(request, config);
  const outcome = await search(plan, {
    ports,
    signal,
    onMissing: (list, error) => {
      log.warn({ err: error, list }, 'a list failed; the other one answers alone');
    },
  });
  const explained = plan.explain ? await explainHits(outcome, plan, ports) : [];
  const hits = outcome.hits.map((hit, index) => hitOf(hit, explained[index] ?? null));
  return {
    hits,
    missing_lists: [...outcome.missing],
    explain: plan.explain ? explainSearch(outcome, plan) : null,
    embeddings:
      request.embeddings === null
        ? null
        : { error: null, chunk_ids: hits.map(({ chunk_id: id }) => id), scores: hits.map(({ score }) => score) },
  };
}
