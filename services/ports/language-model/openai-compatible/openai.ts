import { SluiceError } from '../../../domain/errors.js';
import { o200kTokens } from '../../../domain/o200k-tokens.js';
import { createOpenAiClient, type ChatChunk } from '../../openai/client.js';
import type { GenerationPart, GenerationRequest, LanguageModel } from '../port.js';
import { customary, dialectAfter, spoken, type Wanted } from './dialect.js';
import { saysNotFound } from './not-found.js';
import type { OpenAiLanguageSettings } from './openai-config.js';

export interface OpenAiLanguageOptions extends OpenAiLanguageSettings {
  /** What people call the model: its name in the configuration. */
  readonly name: string;
}

/**
 * A language model behind a server with OpenAI's API, streamed. An answer counts as whole once the server has said why it
 * ended; one that stops before is answer-interrupted. Tokens are the server's, or counted here where it does not tell.
 */
export function createOpenAiLanguageModel(options: OpenAiLanguageOptions): LanguageModel {
  const { name, model, temperature, contextWindow, tokenRatio, instructionsIn } = options;
  const client = createOpenAiClient(options, name);
  const countTokens = (text: string): number => Math.ceil(o200kTokens(text) * tokenRatio);
  let understood = customary;

  async function* chunksOf(wanted: Wanted, signal: AbortSignal | undefined): AsyncGenerator<ChatChunk> {
    for (let dialect = understood; ;) {
      let begun = false;
      try {
        for await (const chunk of client.chat(spoken(wanted, dialect), signal)) {
          if (!begun) understood = dialect;
          begun = true;
          yield chunk;
        }
        return;
      } catch (error) {
        const next = begun ? undefined : dialectAfter(dialect, error);
        if (next === undefined) throw error;
        dialect = next;
      }
    }
  }

  async function* generate(request: GenerationRequest): AsyncIterable<GenerationPart> {
    const { system, prompt, maxOutputTokens, notFoundText, signal } = request;
    const messages =
      instructionsIn === 'user'
        ? [{ role: 'user' as const, content: `${system}\n\n${prompt}` }]
        : [
            { role: 'system' as const, content: system },
            { role: 'user' as const, content: prompt },
          ];
    let answer = '';
    let finishReason: string | undefined;
    let usage: ChatChunk['usage'];
    try {
      for await (const chunk of chunksOf({ model, messages, temperature, maxOutputTokens }, signal)) {
        signal?.throwIfAborted();
        usage = chunk.usage ?? usage;
        const choice = chunk.choices?.[0];
        const text = choice?.delta?.content ?? choice?.delta?.refusal ?? '';
        finishReason = choice?.finish_reason ?? finishReason;
        if (text === '') continue;
        answer += text;
        yield { kind: 'text', text };
      }
    } catch (error) {
      // What the answer took may be lost with the connection; the answer itself is whole.
      if (finishReason === undefined || signal?.aborted === true) throw error;
    }
    signal?.throwIfAborted();
    if (finishReason === undefined) {
      throw new SluiceError('answer-interrupted', `the stream of model ${name} ended before its answer did: ask again`);
    }
    yield {
      kind: 'end',
      finishReason,
      inputTokens: usage?.prompt_tokens ?? messages.reduce((sum, { content }) => sum + countTokens(content), 0),
      outputTokens: usage?.completion_tokens ?? countTokens(answer),
      found: !saysNotFound(answer, notFoundText),
    };
  }

  return { name: `${name} (${model})`, contextWindow, countTokens, generate, close: () => Promise.resolve() };
}
