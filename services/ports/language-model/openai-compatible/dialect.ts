import { SluiceError } from '../../../domain/errors.js';
import type { ChatRequest } from '../../openai/client.js';

/** In what servers with one and the same API differ. */
export interface Dialect {
  /** What the most tokens of an answer are called. */
  readonly limit: 'max_tokens' | 'max_completion_tokens';
  readonly temperature: boolean;
  /** Whether the stream may be asked to end with what it took. */
  readonly usage: boolean;
}

/** What most servers understand. */
export const customary: Dialect = { limit: 'max_tokens', temperature: true, usage: true };

export interface Wanted {
  readonly model: string;
  readonly messages: ChatRequest['messages'];
  readonly temperature: number;
  readonly maxOutputTokens: number | undefined;
}

export const spoken = ({ model, messages, temperature, maxOutputTokens }: Wanted, dialect: Dialect): ChatRequest => ({
  model,
  messages,
  ...(dialect.temperature ? { temperature } : {}),
  ...(maxOutputTokens === undefined ? {} : { [dialect.limit]: maxOutputTokens }),
  ...(dialect.usage ? { stream_options: { include_usage: true } } : {}),
});

/** The dialect to try next when a server has refused this one, as its words tell; undefined where they tell nothing. */
export function dialectAfter(dialect: Dialect, refusal: unknown): Dialect | undefined {
  if (!(refusal instanceof SluiceError) || refusal.code !== 'invalid-argument') return undefined;
  const names = (parameter: string): boolean => refusal.message.includes(parameter);
  if (dialect.usage && (names('stream_options') || names('include_usage'))) return { ...dialect, usage: false };
  if (dialect.limit === 'max_tokens' && names('max_completion_tokens')) {
    return { ...dialect, limit: 'max_completion_tokens' };
  }
  if (dialect.temperature && names('temperature')) return { ...dialect, temperature: false };
  return undefined;
}
