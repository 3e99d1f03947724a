import { Type } from '@sinclair/typebox';
import { nullable, timestamp } from './scalars.js';

const versionStatusSchema = Type.Object({
  version: Type.Integer(),
  version_hash: Type.String(),
  state: Type.String(),
  content_hash: Type.String(),
  chunks: nullable(Type.Integer()),
  stage: nullable(Type.String()),
  code: nullable(Type.String()),
  reason: nullable(Type.String()),
});

export const outcomeSchema = Type.Object({
  operation_id: Type.String(),
  state: Type.String({ description: 'accepted, ready, unchanged, failed, refused, deleted, stale' }),
  version: nullable(Type.Integer()),
  chunk_count: nullable(Type.Integer()),
  unchanged: Type.Boolean(),
  replaced: nullable(Type.Integer()),
  code: nullable(Type.String()),
  reason: nullable(Type.String()),
});

/** A document's whole status after a change of state. */
export const documentEventSchema = Type.Object({
  kind: Type.Literal('document'),
  collection: Type.String(),
  document_id: Type.String(),
  seq: Type.Integer({ description: 'Ascending per document.' }),
  at: timestamp('When it changed.'),
  deleted: Type.Boolean(),
  live: nullable(versionStatusSchema),
  newest: nullable(versionStatusSchema),
  operation: nullable(outcomeSchema),
  cursor: nullable(
    Type.String({
      description: 'Give it as `after` to go on behind this event; null in a listing, which has no order.',
    }),
  ),
});

/** Marks the end of the listing with which a watch begins. */
const listedEventSchema = Type.Object({
  kind: Type.Literal('listed'),
  cursor: Type.String({ description: 'As of a document event.' }),
});

export const watchEventSchema = Type.Union([documentEventSchema, listedEventSchema]);
