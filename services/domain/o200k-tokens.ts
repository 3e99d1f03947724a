import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** What looks like a special token (`<|endoftext|>`) is text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** The o200k_base tokens of a text. */
export const o200kTokens = (text: string): number => countTokens(text, asText);
