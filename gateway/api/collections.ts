import { Type } from '@sinclair/typebox';
import { jsonObject, nullable, timestamp } from './scalars.js';

export const spaceSchema = Type.Object(
  {
    id: Type.String(),
    model: Type.String(),
    dimensions: Type.Integer({ description: 'The length of every vector.' }),
  },
  { description: 'An embedding space: where vectors can be compared.' },
);

export const chunkerSchema = Type.Object(
  {
    strategy: Type.Union([Type.Literal('structure'), Type.Literal('fixed')]),
    version: Type.Integer(),
    size: Type.Integer({ description: 'The most that a chunk may hold, in units of the tokenizer.' }),
    overlap: Type.Integer(),
    tokenizer: Type.Union([Type.Literal('o200k_base'), Type.Literal('words'), Type.Literal('characters')]),
    context_prefix: Type.Boolean({ description: 'Whether the heading path is embedded and indexed with the text.' }),
  },
  { description: 'How texts are cut.' },
);

export const collectionSchema = Type.Object({
  collection: Type.String({ description: 'The id: immutable.' }),
  name: Type.String({ description: 'The display name.' }),
  description: Type.String(),
  metadata: jsonObject("The collection's own metadata."),
  space: spaceSchema,
  target_space: nullable(spaceSchema),
  chunker: nullable(chunkerSchema),
  language: Type.String({ description: 'Snowball language of stems and stop words, or none.' }),
  state: Type.Union([Type.Literal('active'), Type.Literal('deleting')]),
  paused: Type.Boolean({ description: 'Whether new versions wait until it is resumed.' }),
  created_at: timestamp('When it was created.'),
  updated_at: timestamp('When it last changed.'),
});

export const collectionListSchema = Type.Object({ collections: Type.Array(collectionSchema) });

export const createCollectionSchema = Type.Object(
  {
    collection: Type.String({ description: 'The id: a-z, 0-9, ".", "_", "-", at most 64 characters.' }),
    name: Type.Optional(Type.String({ maxLength: 255 })),
    description: Type.Optional(Type.String({ maxLength: 4096 })),
    metadata: Type.Optional(jsonObject("The collection's own metadata.")),
    embedding: Type.Optional(
      Type.String({ description: 'Space id or model name of a configured embedding model; default: the default one.' }),
    ),
    chunker: Type.Optional(
      Type.Object(
        {
          strategy: Type.Optional(chunkerSchema.properties.strategy),
          size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
          overlap: Type.Optional(Type.Integer({ minimum: 0 })),
          tokenizer: Type.Optional(chunkerSchema.properties.tokenizer),
          context_prefix: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false, description: 'Absent fields have the default.' },
      ),
    ),
    language: Type.Optional(Type.String({ maxLength: 32, description: 'Snowball language, or none.' })),
  },
  { additionalProperties: false },
);

export const createdCollectionSchema = Type.Object({
  ...collectionSchema.properties,
  notice: Type.String({ description: 'Which model was pinned, and the command that changes it.' }),
});

export const updateCollectionSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    description: Type.Optional(Type.String({ maxLength: 4096 })),
    metadata: Type.Optional(jsonObject('Replaces the whole; {} clears.')),
  },
  { additionalProperties: false, description: 'Absent fields stay.' },
);

export const documentCountsSchema = Type.Object(
  {
    pending: Type.Integer(),
    processing: Type.Integer(),
    ready: Type.Integer(),
    failed: Type.Integer(),
  },
  { description: 'Documents by the state of their newest version.' },
);

export const statisticsSchema = Type.Object({
  collection: Type.String(),
  documents: documentCountsSchema,
  chunks: Type.Integer(),
  bytes: Type.Integer(),
  vectors: Type.Integer(),
  space: spaceSchema,
  chunker: nullable(chunkerSchema),
  last_ingest: nullable(timestamp('When a version last became ready.')),
  snapshot: Type.String({ description: 'sha256 over live documents by source: URI NUL content hash NUL.' }),
});
