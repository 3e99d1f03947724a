import { randomUUID } from 'node:crypto';
import { topics } from '../../schema/topics.js';
import { errorInfo, SluiceError } from '../domain/errors.js';
import { defineProcessor, output } from '../runtime/processor.js';
import { answerConfig } from './answer-config.js';
import { answerQuestion } from './answer-question.js';

/** Retrievals to answers, streamed part by part to the inbox of whoever asked. */
export const documentRagAnswer = defineProcessor({
  name: 'document-rag-answer',
  input: topics.retrievalsCompleted,
  outputs: [topics.replies],
  ports: ['blobStore', 'languageModel'],
  config: answerConfig,
  concurrency: (config) => config.concurrency,
  async *handle({ value }, context) {
    const attempt = randomUUID();
    let index = 0;
    try {
      for await (const event of answerQuestion(value, context)) {
        yield typeof event === 'string'
          ? output(topics.replies, { kind: 'answer-part', attempt, index, text: event })
          : output(topics.replies, { kind: 'answer-end', attempt, index, answer: event });
        index++;
      }
    } catch (error) {
      if (context.signal.aborted) throw error;
      if (index === 0 && !(error instanceof SluiceError)) throw error; // nobody expected it: the runtime tries again
      yield output(topics.replies, {
        kind: 'error',
        attempt,
        index,
        error: index === 0 ? errorInfo(error) : cut(error),
      });
    }
  },
});

/** After its first part an answer that fails is one that broke off, whatever the reason. */
function cut(error: unknown): ReturnType<typeof errorInfo> {
  const { message } = errorInfo(error);
  return { code: 'answer-interrupted', message: `the answer broke off: ${message}` };
}
