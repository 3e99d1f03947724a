import { Type } from '@sinclair/typebox';

export const decoderConfig = Type.Object({
  concurrency: Type.Integer({
    description: 'How many documents are decoded at once.',
    default: 4,
    minimum: 1,
  }),
  segmentTimeoutMs: Type.Integer({
    description: 'How long decoding one segment (about a megabyte, or a whole HTML document) may take.',
    default: 60_000,
    minimum: 100,
  }),
  maxWholeBytes: Type.Integer({
    description:
      'The largest document of a format that can only be decoded whole (HTML). Text and Markdown are streamed.',
    default: 16 * 1024 * 1024,
    minimum: 1024,
  }),
});
