import { describe, expect, it } from 'vitest';
import { blocksOf, chunksOf, spec } from './cutting.js';

const random = (length: number, letter: (value: number) => string): string => {
  let state = 1;
  let text = '';
  while (text.length < length) text += letter((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8);
  return text;
};

/** Texts that make slow algorithms slow; each has a good tenth of a second's worth of work in it. */
const hostile: Record<string, string> = {
  'a line of 10 MB': 'word other '.repeat(910_000),
  'a run of 500,000 letters': random(500_000, (value) => String.fromCharCode(97 + (value % 26))),
  'Chinese without punctuation': random(200_000, (value) => String.fromCharCode(0x4e00 + (value % 5000))),
  '100,000 headings': Array.from(
    { length: 100_000 },
    (_, index) => `${'#'.repeat(1 + (index % 6))} Heading ${index}\n`,
  ).join(''),
  'a million blank lines': '\n'.repeat(1_000_000),
  '100,000 marks on one letter': `e${'\u0301'.repeat(100_000)}`,
  '50,000 list levels': Array.from({ length: 2_000 }, (_, index) => `${' '.repeat(index)}- item\n`).join(''),
  'brackets without end': `# ${'['.repeat(400)}\n\n${'['.repeat(200_000)}`,
  'unclosed everything': `---\na: b\n<!-- ${'```js\n| a |\n|---|\n> # '.repeat(20_000)}`,
  'emoji joined without end': '👩\u200d'.repeat(50_000),
  'spaces without end': `a${' '.repeat(1_000_000)}b`,
  'one row of a megabyte': `| a | b |\n|---|---|\n| ${'cell '.repeat(200_000)} | x |\n`,
};

describe('hostile text ends within its bound, whole:', () => {
  it.each(Object.keys(hostile))('%s', (name) => {
    const text = hostile[name] ?? '';
    const before = process.cpuUsage();
    const blocks = blocksOf([text]);
    for (const strategy of ['structure', 'fixed'] as const) {
      const chunks = chunksOf(spec({ strategy }), [blocks]);
      const space = /\s/;
      let end = 0;
      const points = [...text];
      for (const chunk of chunks) {
        for (; end < chunk.start; end++)
          if (!space.test(points[end] ?? '')) throw new Error(`${name}: ${end} is missing`);
        end = Math.max(end, chunk.end);
      }
      expect(text.length - end >= 0 && points.slice(end).join('').trim()).toBe('');
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6, 'seconds of processor time').toBeLessThan(30);
  });
});
