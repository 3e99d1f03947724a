import { Type } from '@sinclair/typebox';
import { topics } from '../../schema/topics.js';
import { defineProcessor, output } from '../runtime/processor.js';
import { writeContinuation } from './continuation.js';

/** Questions to retrievals. Everything that the answer needs travels with the retrieval; nothing waits here. */
export const documentRagAsk = defineProcessor({
  name: 'document-rag-ask',
  input: topics.questionsAsked,
  outputs: [topics.retrievalsRequested, topics.replies],
  ports: [],
  config: Type.Object({}),
  handle({ value }) {
    const { workspace, question, options, verify } = value;
    if (verify) {
      const message = 'this version does not verify the claims of an answer: ask without verify';
      return Promise.resolve([output(topics.replies, { kind: 'error', error: { code: 'unsupported', message } })]);
    }
    const request = { workspace, query: question, options, continuation: writeContinuation(value) };
    return Promise.resolve([
      output(topics.retrievalsRequested, request, { 'reply-topic': topics.retrievalsCompleted.name }),
    ]);
  },
});
