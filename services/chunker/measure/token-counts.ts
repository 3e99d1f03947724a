import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';

/** What looks like a special token in a document is text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

// The library's own cache slows down with its size once it is full; the one below keeps every count that matters.
setMergeCacheSize(0);

const mostKept = 100_000;
/** Two generations: when the young one is full it becomes the old one, and what was not asked for since is forgotten. */
let young = new Map<string, number>();
let old = new Map<string, number>();

/** The o200k_base tokens of one pre-token. */
export function tokensOf(pretoken: string): number {
  const known = young.get(pretoken);
  if (known !== undefined) return known;
  const count = old.get(pretoken) ?? countTokens(pretoken, asText);
  if (young.size >= mostKept) {
    old = young;
    young = new Map();
  }
  young.set(pretoken, count);
  return count;
}
