import type { Answer } from '../../../schema/generated.js';
import { topics } from '../../../schema/topics.js';
import { SluiceError } from '../../../services/domain/errors.js';
import type { AskPart, AskRequest, AskResult } from '../../client/types.js';
import type { Call, GatewayContext } from '../context.js';
import { errorOf } from './error-of.js';
import { retrievalOptions } from './retrieval-options.js';

/**
 * The answer as it is made: texts, then one end. Throws invalid-argument for an empty question, collection-not-found,
 * deadline-exceeded, answer-interrupted, and what the processors refuse.
 */
export const ask = (context: GatewayContext, call: Call, request: AskRequest): AsyncIterable<AskPart> =>
  answerParts(context, call, request, true);

/** The whole answer at once. Throws as `ask`, but an answer begun anew harms nobody here. */
export async function answer(context: GatewayContext, call: Call, request: AskRequest): Promise<AskResult> {
  for await (const part of answerParts(context, call, request, false)) {
    if (part.kind === 'end') return part.result;
  }
  throw withoutEnd();
}

async function* answerParts(
  context: GatewayContext,
  call: Call,
  request: AskRequest,
  streamed: boolean,
): AsyncGenerator<AskPart> {
  if (request.question.trim() === '') {
    throw new SluiceError('invalid-argument', 'the question is empty: ask something');
  }
  const { workspace } = call.caller;
  const flow = request.flow ?? 'default';
  const replies = context.inbox.request({
    topic: topics.questionsAsked,
    value: {
      workspace,
      question: request.question,
      options: await retrievalOptions(context, call, request),
      flow,
      max_context_tokens: request.max_context_tokens ?? null,
      turns: request.turns ?? [],
      verify: request.verify ?? false,
    },
    workspace,
    flow,
    timeoutMs: request.timeout_ms ?? context.config.requestTimeoutMs,
    signal: call.signal,
    streamed,
  });
  for await (const reply of replies) {
    if (reply.error !== null) throw errorOf(reply.error);
    if (reply.text !== null && reply.text !== '' && reply.kind === 'answer-part') {
      yield { kind: 'text', text: reply.text };
    }
    if (reply.answer !== null) {
      yield { kind: 'end', result: resultView(reply.answer) };
      return;
    }
  }
  throw withoutEnd();
}

const resultView = (answer: Answer): AskResult => ({
  answer: answer.text,
  found: answer.found,
  citations: answer.citations,
  model: answer.model,
  finish_reason: answer.finish_reason,
  usage: {
    input_tokens: answer.input_tokens,
    output_tokens: answer.output_tokens,
    context_tokens: answer.context_tokens,
  },
  included: answer.included,
  first_excluded: answer.first_excluded,
  missing_lists: answer.missing_lists,
  missing_texts: answer.missing_texts,
});

const withoutEnd = (): SluiceError =>
  new SluiceError('answer-interrupted', 'the answer broke off before its end: ask again');
