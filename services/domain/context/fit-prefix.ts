const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The longest beginning of a text that fits, cut after a word where it has any, else between graphemes; '' if none does. */
export function fitPrefix(text: string, fits: (prefix: string) => boolean): string {
  if (fits(text)) return text;
  const ends = [...graphemes.segment(text)].map(({ index, segment }) => index + segment.length);
  let [least, most] = [0, ends.length]; // as many graphemes as surely fit, and as surely do not
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (fits(text.slice(0, ends[middle - 1] ?? 0))) least = middle;
    else most = middle;
  }
  const cut = least === 0 ? '' : text.slice(0, ends[least - 1] ?? 0);
  const wordEnd = /^[^]*\S(?=\s)/u.exec(cut)?.[0];
  const wordFollows = /^\S/.test(text.slice(cut.length));
  return wordFollows && wordEnd !== undefined ? wordEnd : cut;
}
