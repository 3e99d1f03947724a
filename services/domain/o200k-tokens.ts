import { createRequire } from 'node:module';

type CountTokens = typeof import('gpt-tokenizer/encoding/o200k_base').countTokens;

/** What looks like a special token (`<|endoftext|>`) is text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

let countTokens: CountTokens | undefined;

/** The vocabulary takes 65 MB, which a process that counts nothing does without. */
const load = (): CountTokens =>
  (createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as { countTokens: CountTokens }).countTokens;

/** The o200k_base tokens of a text. */
export const o200kTokens = (text: string): number => (countTokens ??= load())(text, asText);
