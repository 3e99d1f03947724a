import { Type, type Static } from '@sinclair/typebox';

export const answerConfig = Type.Object({
  concurrency: Type.Integer({
    description: 'How many answers are made at once.',
    default: 8,
    minimum: 1,
  }),
  maxContextTokens: Type.Integer({
    description: 'The most tokens of passages in a prompt, unless the question says otherwise.',
    default: 4096,
    minimum: 1,
  }),
  maxHistoryTokens: Type.Integer({
    description: 'The most tokens of earlier turns in a prompt; the oldest are left out.',
    default: 1024,
    minimum: 0,
  }),
  maxOutputTokens: Type.Integer({
    description: 'The most tokens of an answer.',
    default: 1024,
    minimum: 1,
  }),
  notFoundText: Type.String({
    description: 'The answer when nothing in the collection answers the question.',
    default: 'Not found in the collection.',
    minLength: 1,
  }),
  partIntervalMs: Type.Integer({
    description: 'The least time between two parts of a streamed answer; 0: every piece of the model is a part.',
    default: 20,
    minimum: 0,
  }),
  partMaxBytes: Type.Integer({
    description: 'A part of this size waits no longer.',
    default: 1024,
    minimum: 1,
  }),
});

export type AnswerConfig = Static<typeof answerConfig>;
