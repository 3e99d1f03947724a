import type { Answer, RetrievalCompleted } from '../../schema/generated.js';
import { isErrorCode, SluiceError } from '../domain/errors.js';
import type { GenerationPart } from '../ports/language-model/port.js';
import type { HandlerContext } from '../runtime/processor.js';
import type { answerConfig } from './answer-config.js';
import { citationsOf } from './cite.js';
import { readContinuation } from './continuation.js';
import { prepare } from './prepare.js';
import { throttle } from './throttle.js';

type End = Extract<GenerationPart, { kind: 'end' }>;
type AnswerContext = HandlerContext<'blobStore' | 'languageModel', typeof answerConfig>;

/**
 * The answer as it is made: its text in pieces, then, once and last, the whole with its citations; the pieces joined
 * are its text. Throws what the retrieval or the model failed with; answer-interrupted when the model's stream ends early.
 */
export async function* answerQuestion(
  retrieval: RetrievalCompleted,
  { ports, config, signal, log }: AnswerContext,
): AsyncGenerator<string | Answer> {
  const { languageModel: model } = ports;
  if (retrieval.error !== null) {
    const { code, message } = retrieval.error;
    throw new SluiceError(isErrorCode(code) ? code : 'internal', message);
  }
  const continuation = readContinuation(retrieval.continuation);
  const { request, context, missing } = await prepare(retrieval, continuation, ports, config);
  if (missing.length > 0)
    log.warn({ chunks: missing }, 'the texts of some hits are missing; the answer is made without');
  const shared = {
    context_tokens: context.totalTokens,
    included: [...context.included],
    first_excluded: context.firstExcluded,
    missing_lists: retrieval.missing_lists,
    missing_texts: missing,
  };
  if (context.passages.length === 0) {
    const text = config.notFoundText;
    yield text;
    const nothing = { citations: [], finish_reason: 'no-hits', input_tokens: 0, output_tokens: 0 };
    yield { ...shared, ...nothing, text, found: false, model: model.name };
    return;
  }
  const stream = new ModelStream(model.generate({ ...request, signal }), model.name);
  let text = '';
  for await (const piece of throttle(stream.texts(), {
    intervalMs: config.partIntervalMs,
    maxBytes: config.partMaxBytes,
    signal,
  })) {
    text += piece;
    yield piece;
  }
  const { finishReason, inputTokens, outputTokens, found } = stream.end();
  yield {
    ...shared,
    ...{ text, found, citations: found ? citationsOf(text, context.passages) : [] },
    ...{ model: model.name, finish_reason: finishReason, input_tokens: inputTokens, output_tokens: outputTokens },
  };
}

/** A model's parts: its texts, and the end that must have come after them. */
class ModelStream {
  #end: End | undefined;

  constructor(
    private readonly parts: AsyncIterable<GenerationPart>,
    private readonly model: string,
  ) {}

  async *texts(): AsyncGenerator<string> {
    for await (const part of this.parts) {
      if (part.kind === 'end') {
        this.#end = part;
        return;
      }
      if (part.text !== '') yield part.text;
    }
  }

  end(): End {
    if (this.#end !== undefined) return this.#end;
    throw new SluiceError(
      'answer-interrupted',
      `the stream of model ${this.model} ended before its answer did: ask again`,
    );
  }
}
