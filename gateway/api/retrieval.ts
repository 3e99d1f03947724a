import { Type } from '@sinclair/typebox';
import { jsonObject, nullable, timestamp } from './scalars.js';

const filterDescription =
  'Clauses such as `year>=2020` joined by AND, or the JSON form with and, or, not, in, exists; a missing key is false.';

/** What a search and a question have in common. */
const retrievalOptions = {
  collections: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 100,
      description: "Absent: all of the workspace's that share one space.",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'How many hits. Default 5.' })),
  mode: Type.Optional(
    Type.Union([Type.Literal('semantic'), Type.Literal('lexical'), Type.Literal('hybrid')], {
      description: 'Default hybrid.',
    }),
  ),
  min_score: Type.Optional(Type.Number({ description: 'Not with hybrid: fused scores have no absolute scale.' })),
  where: Type.Optional(Type.Union([Type.String(), jsonObject('The JSON form.')], { description: filterDescription })),
  fusion: Type.Optional(
    Type.Union([Type.Literal('rrf'), Type.Literal('relative')], { description: "Default: the embedding model's." }),
  ),
  dense_weight: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "The vector list's share; the lexical list has the rest." }),
  ),
  rank: Type.Optional(Type.Union([Type.Literal('mmr'), Type.Literal('recency'), Type.Literal('rerank')])),
  mmr_lambda: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Default 0.5.' })),
  half_life_days: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'Recency. Default 90.' })),
  cap_per_source: Type.Optional(Type.Integer({ minimum: 1, description: 'The most hits of one source.' })),
  explain: Type.Optional(Type.Boolean({ description: 'Say which list gave which rank.' })),
  degrade: Type.Optional(
    Type.Boolean({ description: 'Go on without a list that fails; the answer says which is missing.' }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 600_000, description: 'Deadline. Default: the server setting.' }),
  ),
} as const;

export const searchRequestSchema = Type.Object(
  { query: Type.String({ maxLength: 65_536, description: 'What to look for.' }), ...retrievalOptions },
  { additionalProperties: false },
);

export const searchHitSchema = Type.Object({
  chunk_id: Type.String(),
  document_id: Type.String(),
  collection: Type.String(),
  source: Type.String(),
  title: nullable(Type.String()),
  seq: Type.Integer(),
  score: Type.Number({ description: 'Cosine, BM25 or the fused score, by mode.' }),
  rerank_score: Type.Optional(Type.Number()),
  heading_path: Type.Array(Type.String()),
  start: Type.Integer({ description: 'Code points into the decoded text.' }),
  end: Type.Integer(),
  page: nullable(Type.Integer()),
  text: Type.String({ description: 'Empty unless hydrated.' }),
  metadata: jsonObject("The document's metadata."),
  ingested_at: timestamp('When the version was accepted.'),
  hydrated: Type.Boolean({ description: 'False: the text is missing in the blob store.' }),
  orphaned: Type.Optional(Type.Boolean({ description: 'An imported point without a document.' })),
  explain: Type.Optional(jsonObject('Ranks and scores by list; present when asked for.')),
});

export const searchResultSchema = Type.Object({
  hits: Type.Array(searchHitSchema),
  missing_lists: Type.Array(Type.String(), { description: 'With degrade: the lists that failed.' }),
  explain: Type.Optional(jsonObject('About the search as a whole; present when asked for.')),
  milliseconds: Type.Number({ description: 'Time of the retrieval itself.' }),
});

export const askRequestSchema = Type.Object(
  {
    question: Type.String({ maxLength: 65_536 }),
    ...retrievalOptions,
    flow: Type.Optional(Type.String({ maxLength: 64 })),
    max_context_tokens: Type.Optional(Type.Integer({ minimum: 1, description: 'Default 4096.' })),
    turns: Type.Optional(
      Type.Array(
        Type.Object(
          { role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]), text: Type.String() },
          { additionalProperties: false },
        ),
        { maxItems: 100, description: 'The conversation so far, oldest first.' },
      ),
    ),
    verify: Type.Optional(Type.Boolean({ description: "Judge the answer's claims against their citations." })),
  },
  { additionalProperties: false },
);

export const citationSchema = Type.Object({
  n: Type.Integer({ description: 'The marker in the answer.' }),
  chunk_id: Type.String(),
  document_id: Type.String(),
  collection: Type.String(),
  source: Type.String(),
  title: nullable(Type.String()),
  seq: Type.Integer(),
  heading_path: Type.Array(Type.String()),
  page: nullable(Type.Integer({ description: 'From 1, where the format has pages.' })),
  start: Type.Integer({ description: 'Code points into the decoded text.' }),
  end: Type.Integer(),
  quote: Type.String({ description: 'The decoded text from start to end.' }),
});

export const askResultSchema = Type.Object({
  answer: Type.String(),
  found: Type.Boolean({ description: 'False: nothing in the collection answers the question.' }),
  citations: Type.Array(citationSchema),
  model: Type.String(),
  finish_reason: Type.String(),
  usage: Type.Object({
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    context_tokens: Type.Integer(),
  }),
  included: Type.Array(Type.Integer(), { description: 'Positions of the hits in the context.' }),
  first_excluded: Type.Integer({ description: 'Position of the first hit that is not; -1 = none.' }),
  missing_lists: Type.Array(Type.String()),
  missing_texts: Type.Array(Type.String(), { description: 'Ids of the hits whose text is gone.' }),
});

/** What a streamed answer is made of: any number of texts, then one end. */
export const askPartSchema = Type.Union([
  Type.Object({ kind: Type.Literal('text'), text: Type.String() }),
  Type.Object({ kind: Type.Literal('end'), result: askResultSchema }),
]);
