import { OpenAI } from 'openai';
import { SluiceError } from '../../domain/errors.js';
import type { Endpoint } from './endpoint-config.js';
import { failureOf } from './failure.js';
import { patience } from './patience.js';

export interface EmbeddingsRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding_format: 'base64' | 'float';
  readonly dimensions?: number;
}

export interface EmbeddingsResponse {
  /** As the server sent it: nothing of it is known for certain. */
  readonly data: unknown;
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: 'system' | 'user'; readonly content: string }[];
  readonly temperature?: number;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly stream_options?: { readonly include_usage: true };
}

/** A piece of a streamed answer; `unknown` where servers differ. */
export interface ChatChunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null; readonly refusal?: string | null } | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null;
}

/**
 * The operations used of a server with OpenAI's API. Nothing is tried again here: the runtime does that. Failures are
 * SluiceErrors (`failureOf`); a signal's abort closes the connection, so that the server stops, and rejects with the
 * signal's reason.
 */
export interface OpenAiClient {
  embeddings(request: EmbeddingsRequest, signal?: AbortSignal): Promise<EmbeddingsResponse>;
  /** Ends when the server ends the stream, whether or not the answer had ended. */
  chat(request: ChatRequest, signal?: AbortSignal): AsyncIterable<ChatChunk>;
}

/** `name` is what messages call the model. */
export function createOpenAiClient({ baseUrl, apiKey, timeoutMs }: Endpoint, name: string): OpenAiClient {
  const sdk = new OpenAI({
    baseURL: baseUrl,
    // Everything that the package would else read from variables of its own: another server's keys are not for this one.
    ...{ apiKey: apiKey === '' ? 'none' : apiKey, adminAPIKey: null, organization: null, project: null },
    ...(apiKey === '' ? { defaultHeaders: { Authorization: null } } : {}),
    ...{ webhookSecret: null, maxRetries: 0, timeout: timeoutMs, logLevel: 'off' },
  });
  const where = { name, baseUrl };

  async function* chat(request: ChatRequest, signal?: AbortSignal): AsyncGenerator<ChatChunk> {
    signal?.throwIfAborted();
    const waiting = patience(timeoutMs, signal);
    let begun = false;
    try {
      const stream: AsyncIterable<ChatChunk> = await sdk.chat.completions.create(
        { ...request, messages: [...request.messages], stream: true },
        { signal: waiting.signal },
      );
      for await (const chunk of stream) {
        begun = true;
        waiting.pause(); // how long the reader takes is not the server's doing
        yield chunk;
        waiting.renew();
      }
      // The package ends an aborted stream as if it were whole.
      waiting.signal.throwIfAborted();
    } catch (error) {
      signal?.throwIfAborted();
      const failure = failureOf(waiting.timedOut ? waiting.signal.reason : error, where);
      if (!begun) throw failure;
      throw new SluiceError('answer-interrupted', `the answer broke off: ${failure.message}`, { cause: error });
    } finally {
      waiting.end();
    }
  }

  return {
    async embeddings(request, signal) {
      signal?.throwIfAborted();
      const waiting = patience(timeoutMs, signal);
      try {
        const response = await sdk.embeddings.create(
          { ...request, input: [...request.input] },
          { signal: waiting.signal },
        );
        return { data: response.data };
      } catch (error) {
        signal?.throwIfAborted();
        throw failureOf(waiting.timedOut ? waiting.signal.reason : error, where);
      } finally {
        waiting.end();
      }
    },
    chat,
  };
}
