import { Type } from '@sinclair/typebox';
import { chunkerSchema, createCollectionSchema, spaceSchema } from './collections.js';
import { nullable } from './scalars.js';

export const reindexSchema = Type.Object(
  { model: Type.String({ minLength: 1, description: 'Space id or model name of a configured embedding model.' }) },
  { additionalProperties: false },
);

export const rechunkSchema = Type.Object(
  { chunker: Type.Required(Type.Pick(createCollectionSchema, ['chunker'])).properties.chunker },
  { additionalProperties: false },
);

export const reindexPlanSchema = Type.Object({
  collection: Type.String(),
  from: spaceSchema,
  to: spaceSchema,
  documents: Type.Integer({ description: 'Live documents, whose chunks would be embedded again.' }),
  chunks: Type.Integer(),
  windowed_chunks: Type.Integer({
    description: "Chunks longer than the new model's window: each is embedded in parts, whose mean stands for it.",
  }),
});

export const conversionSchema = Type.Object(
  {
    collection: Type.String(),
    kind: nullable(Type.Union([Type.Literal('reindex'), Type.Literal('rechunk')])),
    space: spaceSchema,
    target_space: nullable(spaceSchema),
    chunker: nullable(chunkerSchema),
    documents: Type.Integer({ description: 'Live documents.' }),
    waiting: Type.Integer({ description: 'Live documents that have not come along yet.' }),
    failed: Type.Integer({ description: 'Live documents that failed; they hold a reindex.' }),
    windowed_chunks: Type.Integer({
      description: 'Live chunks that were longer than the window of the model that they are, or will be, found by.',
    }),
    failures: Type.Array(
      Type.Object({
        document_id: Type.String(),
        version: Type.Integer(),
        stage: nullable(Type.String()),
        code: nullable(Type.String()),
        reason: nullable(Type.String()),
      }),
      { description: 'The first of those that failed, with their reasons.' },
    ),
  },
  { description: 'A reindex or rechunk of a collection, and how far it has come.' },
);
