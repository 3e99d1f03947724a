import { Value } from '@sinclair/typebox/value';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { NewMessages, QuestionAsked } from '../../../schema/generated.js';
import { messageType } from '../../../schema/codec.js';
import { documentRagAsk } from '../../../services/document-rag/ask.js';
import { readContinuation } from '../../../services/document-rag/continuation.js';

async function ask(question: NewMessages['QuestionAsked']) {
  const type = messageType('QuestionAsked');
  const outputs = await documentRagAsk.handle(
    {
      value: type.fromBuffer(type.toBuffer(question)) as QuestionAsked,
      headers: { 'message-id': 'm', 'reply-topic': 'replies', 'reply-inbox': 'gateway-1' },
      ...{ partition: 0, offset: 0n, timestamp: 0, attempt: 1 },
    },
    {
      config: Value.Create(documentRagAsk.config),
      ports: {},
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
    },
  );
  if (Symbol.asyncIterator in outputs) throw new Error('the handler does not stream');
  return outputs;
}

describe('a question', () => {
  const question = {
    ...{ workspace: 'acme', question: 'Which mill?', options: { collections: ['kb'], limit: 3 }, flow: 'fast' },
    ...{ max_context_tokens: 700, turns: [{ role: 'user', text: 'Mills?' }] },
  };

  it('becomes a retrieval that comes back to the answer, with all that the answer needs', async () => {
    const [request] = await ask(question);
    expect(request).toMatchObject({
      topic: { name: 'retrievals-requested' },
      headers: { 'reply-topic': 'retrievals-completed' },
      value: { workspace: 'acme', query: 'Which mill?', options: { collections: ['kb'], limit: 3, mode: 'hybrid' } },
    });
    const continuation = request !== undefined && 'continuation' in request.value ? request.value.continuation : null;
    expect(readContinuation(continuation ?? null)).toEqual({
      ...{ question: 'Which mill?', flow: 'fast', max_context_tokens: 700 },
      turns: [{ role: 'user', text: 'Mills?' }],
    });
  });

  it('that wants its claims verified is refused', async () => {
    expect(await ask({ ...question, verify: true })).toMatchObject([
      { topic: { name: 'replies' }, value: { kind: 'error', error: { code: 'unsupported' } } },
    ]);
  });
});

describe('a continuation', () => {
  it.each([null, '', '{', '{}', '{"question":1}'])('that is %j is refused', (text) => {
    expect(() => readContinuation(text)).toThrow(/came back without the question/);
  });
});
