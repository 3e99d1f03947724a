import { Type } from '@sinclair/typebox';
import { versionStateSchema } from './documents.js';
import { jsonObject, nullable, timestamp } from './scalars.js';

const failedVersionSchema = Type.Object(
  {
    version: Type.Integer(),
    version_hash: Type.String(),
    state: versionStateSchema,
    stage: nullable(Type.String({ description: 'failed: the processor that gave up.' })),
    code: nullable(Type.String()),
    reason: nullable(Type.String()),
  },
  { description: 'The version that the message was about, as it stands now.' },
);

const deadLetterStateSchema = Type.Union(
  ['open', 'settled', 'replaying', 'replayed', 'dropped'].map((state) => Type.Literal(state)),
  {
    description:
      'open: somebody has to look at it. settled: what it was about is deleted, replaced, or became ready since. ' +
      'replaying: an operator is at it. replayed, dropped: one has dealt with it.',
  },
);

export const deadLetterSchema = Type.Object({
  letter_id: Type.String({ description: 'TOPIC.PROCESSOR:PARTITION:OFFSET of the message that failed.' }),
  state: deadLetterStateSchema,
  topic: Type.String({ description: 'The topic that the message came from.' }),
  processor: Type.String({ description: 'Who gave it up.' }),
  code: Type.String({ description: 'A code of the error table.' }),
  reason: Type.String(),
  attempts: Type.Integer(),
  kind: nullable(Type.String({ description: 'Of a command: submit, delete, decoded, …' })),
  collection: nullable(Type.String()),
  document_id: nullable(Type.String()),
  version: nullable(failedVersionSchema),
  size_bytes: Type.Integer(),
  published_at: timestamp('When the message was published.'),
  failed_at: timestamp('When it was given up.'),
  operation_id: nullable(Type.String({ description: 'replayed: what it became.' })),
});

export const deadLetterPageSchema = Type.Object({
  dead_letters: Type.Array(deadLetterSchema),
  next: nullable(Type.String({ description: 'Give it back as `after` for the next page; null at the end.' })),
});

export const deadLetterDetailsSchema = Type.Object({
  ...deadLetterSchema.properties,
  key: nullable(Type.String()),
  headers: jsonObject("The message's own headers."),
  stack: Type.String(),
  value_base64: Type.String({ description: 'The bytes of the message as they came.' }),
  message: Type.Unknown({
    description: 'The message, if the bytes are one; null if not, or if it is too long to show.',
  }),
});

export const deadLetterQuery = {
  state: Type.Optional(
    Type.Union([Type.Literal('open'), Type.Literal('all')], {
      description: 'open (default): those that somebody has to look at.',
    }),
  ),
  collection: Type.Optional(Type.String()),
  document_id: Type.Optional(Type.String()),
  processor: Type.Optional(Type.String()),
  after: Type.Optional(Type.String({ description: 'What `next` of the page before says.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Letters a page. Default 100.' })),
} as const;

export const replayedLetterSchema = Type.Object({
  letter_id: Type.String(),
  state: Type.Union([Type.Literal('replayed'), Type.Literal('stale'), Type.Literal('dropped')], {
    description: 'replayed: sent again. stale: something newer came after it, nothing changes. dropped: it was before.',
  }),
  operation_id: nullable(Type.String({ description: 'What to wait for; null where the message answers nobody.' })),
  reason: nullable(Type.String({ description: 'stale: why.' })),
});

export const droppedLetterSchema = Type.Object({ letter_id: Type.String(), state: Type.String() });
