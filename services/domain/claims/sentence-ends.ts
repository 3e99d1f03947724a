/** Words after which a full stop ends no sentence. */
const abbreviations = new Set(
  'etc vs cf al approx no fig eq inc ltd co corp dept mr mrs ms dr prof sr jr st'.split(' '),
);

/** Full stops of scripts that put no space after them, or another mark than ours. */
const ownStops = '。．！？｡।॥؟۔።';
const candidate = new RegExp(`[.!?…]+["'”’»)\\]]*(?=\\s|$)|[${ownStops}]+["'”’»」』）)]*`, 'gu');

/**
 * Where the sentences of a stretch of prose end, as indices into it: after `.`, `!` or `?` before white space (closing
 * quotes included), or after the stops of other scripts; not after a dotted acronym (`e.g.`), a single letter (an
 * initial) or a common abbreviation. The stretch's own end is not among them.
 */
export function sentenceEnds(prose: string): readonly number[] {
  const ends: number[] = [];
  for (const match of prose.matchAll(candidate)) {
    const end = match.index + match[0].length;
    if (end < prose.length && !(match[0] === '.' && abbreviated(prose, match.index))) ends.push(end);
  }
  return ends;
}

function abbreviated(prose: string, stop: number): boolean {
  const word = /[^\s("'“‘«[]*$/u.exec(prose.slice(Math.max(0, stop - 40), stop))?.[0] ?? '';
  return /^\p{L}$/u.test(word) || /^(?:\p{L}\.)+\p{L}$/u.test(word) || abbreviations.has(word.toLowerCase());
}
