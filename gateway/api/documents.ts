import { Type } from '@sinclair/typebox';
import { nullable, timestamp } from './scalars.js';

/** Values keep their types, so that filters compare numbers as numbers. */
export const attributesSchema = Type.Record(
  Type.String(),
  Type.Union([
    Type.String(),
    Type.Number(),
    Type.Boolean(),
    Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  ]),
  { description: 'Metadata: strings, numbers, booleans, or lists of them.' },
);

export const versionStateSchema = Type.Union(
  [
    Type.Literal('pending'),
    Type.Literal('processing'),
    Type.Literal('ready'),
    Type.Literal('failed'),
    Type.Literal('superseded'),
    Type.Literal('deleting'),
  ],
  { description: 'Where a version stands.' },
);

export const documentVersionSchema = Type.Object({
  version: Type.Integer({ description: '1, 2, 3 … per document, never reused.' }),
  version_hash: Type.String({ description: 'The first part of the ids of its chunks.' }),
  state: versionStateSchema,
  content_hash: Type.String({ description: 'Lowercase hex sha256 of the raw bytes.' }),
  size_bytes: Type.Integer(),
  content_type: nullable(Type.String()),
  title: nullable(Type.String()),
  source: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  metadata: attributesSchema,
  file_time: nullable(timestamp("The source's modification time.")),
  flow: Type.String(),
  text_bytes: nullable(Type.Integer({ description: 'Length of the decoded text as UTF-8.' })),
  chunk_count: nullable(Type.Integer()),
  stage: nullable(Type.String({ description: 'failed: the processor that gave up.' })),
  code: nullable(Type.String({ description: 'failed: a code of the error table.' })),
  reason: nullable(Type.String({ description: 'failed: why.' })),
  created_at: timestamp('When it was accepted.'),
  updated_at: timestamp('When it last changed.'),
  live_since: nullable(timestamp('Since when it answers.')),
});

export const documentSchema = Type.Object({
  document_id: Type.String(),
  collection: Type.String(),
  state: Type.String({ description: 'The state of the newest version; pending while the first is only accepted.' }),
  title: nullable(Type.String()),
  source: nullable(Type.String()),
  live: nullable(documentVersionSchema),
  newest: nullable(documentVersionSchema),
  created_at: timestamp('When the document was first accepted.'),
  updated_at: timestamp('When it last changed.'),
});

export const documentPageSchema = Type.Object({
  documents: Type.Array(documentSchema),
  next: nullable(Type.String({ description: 'Give it back as `after` for the next page; null at the end.' })),
});

export const documentCountSchema = Type.Object({ documents: Type.Integer() });

/** What a submit may say beside the bytes. */
export const submitOptions = {
  title: Type.Optional(Type.String({ maxLength: 4096, description: 'A title for people.' })),
  source: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: 'URI of the origin; the document id follows from it if none is given.',
    }),
  ),
  content_type: Type.Optional(
    Type.String({ maxLength: 255, description: 'MIME type; guessed from source and bytes if absent.' }),
  ),
  metadata: Type.Optional(attributesSchema),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 256 })),
  file_time: Type.Optional(timestamp("The source's modification time.")),
  flow: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the flow; default: "default".' })),
  force: Type.Optional(Type.Boolean({ description: 'Make a new version even if nothing changed.' })),
  expected_space: Type.Optional(
    Type.String({ description: 'Refuse with space-mismatch unless the collection has this space id or model.' }),
  ),
  expected_chunk_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "Refuse with spec-mismatch unless the collection's chunks have this size.",
    }),
  ),
  expected_chunk_overlap: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Refuse with spec-mismatch unless the chunks have this overlap.' }),
  ),
} as const;

export const submittedSchema = Type.Object({
  document_id: Type.String(),
  operation_id: Type.String(),
  collection: Type.String(),
  state: Type.String({ description: 'accepted' }),
});

/** How one operation ended, or that it has not yet. */
export const operationSchema = Type.Object({
  operation_id: Type.String(),
  kind: Type.String({ description: 'submit, retry, delete, delete-collection' }),
  document_id: Type.String(),
  collection: Type.String(),
  state: Type.String({ description: 'accepted, then ready, unchanged, failed, refused, deleted or stale' }),
  version: nullable(Type.Integer()),
  chunk_count: nullable(Type.Integer()),
  unchanged: Type.Boolean(),
  replaced: nullable(Type.Integer({ description: 'The version that was live before.' })),
  code: nullable(Type.String()),
  reason: nullable(Type.String()),
  created_at: timestamp('When it was accepted.'),
  updated_at: timestamp('When it last changed.'),
});

export const chunkSchema = Type.Object({
  chunk_id: Type.String(),
  document_id: Type.String(),
  collection: Type.String(),
  version: Type.Integer(),
  seq: Type.Integer(),
  source: Type.String(),
  title: nullable(Type.String()),
  heading_path: Type.Array(Type.String()),
  start: Type.Integer({ description: 'Code points into the decoded text.' }),
  end: Type.Integer(),
  page: nullable(Type.Integer()),
  text: Type.String({ description: 'The decoded text from start to end.' }),
  lead: nullable(Type.String({ description: "What is repeated before the text, such as a table's header." })),
});

export const chunkPageSchema = Type.Object({
  chunks: Type.Array(chunkSchema),
  next: nullable(Type.String({ description: 'Give it back as `after` for the next page; null at the end.' })),
});
