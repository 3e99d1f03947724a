const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

// East Asian wide and emoji: two columns on every terminal that shows them at all.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** How many terminal columns a text without control characters takes. */
export function columns(text: string): number {
  let count = 0;
  for (const { segment } of segments.segment(text)) count += wide.test(segment) ? 2 : 1;
  return count;
}

/** Cut at a grapheme to at most `width` columns, the last of them "…" if something was cut. */
export function clip(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let kept = '';
  let taken = 0;
  for (const { segment } of segments.segment(text)) {
    const step = wide.test(segment) ? 2 : 1;
    if (taken + step > width - 1) break;
    kept += segment;
    taken += step;
  }
  return `${kept.trimEnd()}…`;
}

/** Broken at spaces into lines of at most `width` columns, each after `indent`; longer words keep a line of their own. */
export function wrap(text: string, width: number, indent = ''): string {
  const room = Math.max(20, width - columns(indent));
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(/ +/u)) {
      if (line !== '' && columns(line) + 1 + columns(word) > room) {
        lines.push(line);
        line = word;
      } else {
        line = line === '' ? word : `${line} ${word}`;
      }
    }
    lines.push(line);
  }
  return lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join('\n');
}
