import { Type } from '@sinclair/typebox';

export const chunkerConfig = Type.Object({
  concurrency: Type.Integer({
    description: 'How many documents are chunked at once.',
    default: 4,
    minimum: 1,
  }),
  segmentTimeoutMs: Type.Integer({
    description: 'How long chunking one segment (about a megabyte of text) may take.',
    default: 60_000,
    minimum: 100,
  }),
});
