import { Type } from '@sinclair/typebox';
import { documentCountsSchema, spaceSchema } from './collections.js';
import { jsonObject } from './scalars.js';

export const statusSchema = Type.Object({
  documents: documentCountsSchema,
  chunks: Type.Integer(),
  vectors: Type.Integer(),
  dead_letters: Type.Integer(),
  collections: Type.Integer(),
  workspace: Type.String(),
  version: Type.String({ description: 'The version of the server.' }),
});

const embeddingModelSchema = Type.Object({
  space: spaceSchema,
  default: Type.Boolean({ description: 'Whether new collections are pinned to it.' }),
  fusion: Type.Object({ method: Type.String(), dense_weight: Type.Number() }),
});

export const modelsSchema = Type.Object({
  embedding: Type.Array(embeddingModelSchema),
  language: Type.Object({ name: Type.String(), context_window: Type.Integer() }),
  reranker: Type.Union([Type.String(), Type.Null()]),
});

export const healthSchema = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('failing')]),
  checks: jsonObject('Each part with "ok", "not ready" or "not live".'),
  version: Type.String({ description: 'The version of the server.' }),
});
