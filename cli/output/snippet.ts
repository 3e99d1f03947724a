/** Common question words say nothing about where an answer stands. */
const tooShort = 3;
const stemLength = 5;

/**
 * The part of a text, at most `length` code units, that holds the most different words of a query, begun at a word.
 * Words count by their first letters, so that "limits" finds "limit". The text itself if it is short enough.
 */
export function snippet(text: string, query: string, length: number): string {
  if (text.length <= length) return text;
  const wanted = new Set(
    (query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => word.length > tooShort).map(stem),
  );
  const found: { at: number; word: string }[] = [];
  for (const match of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    const word = stem(match[0]);
    if (wanted.has(word)) found.push({ at: match.index, word });
  }
  let best = { at: 0, words: 0 };
  for (const [index, { at }] of found.entries()) {
    const words = new Set<string>();
    for (const other of found.slice(index)) {
      if (other.at + other.word.length > at + length * 0.8) break;
      words.add(other.word);
    }
    if (words.size > best.words) best = { at, words: words.size };
  }
  // Some words before the first one, so that it does not stand without its sentence.
  const from = best.words === 0 ? 0 : text.lastIndexOf(' ', Math.max(0, best.at - Math.floor(length * 0.15)));
  const begin = from <= 0 ? 0 : from + 1;
  return `${begin === 0 ? '' : '… '}${text.slice(begin, begin + length)}`;
}

const stem = (word: string): string => word.slice(0, stemLength);
