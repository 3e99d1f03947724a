import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import type { ChunkerSpec } from '../../../services/domain/chunker-spec.js';
import { blocksOf, chunksOf, cut, spec } from './cutting.js';
import { expectInvariants, graphemeBounds } from './invariants.js';

/** Markdown that is dense in what matters: headings, fences, tables, lists, marks, odd characters, long words. */
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('word', 'a', 'Sentence ends. ', 'Is it? ', ' ', ' ', ' ', '\n', '\n\n', '\n\n\n'),
  },
  { weight: 3, arbitrary: fc.constantFrom('# One\n', '\n## Two `x`\n', '\n### Three\n\n', '\n#### Four\n', '\n#no\n') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\n```js\n', '\n```\n', '\n~~~\n', '- item\n', '  more\n', '1. one\n', '> quote\n'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\n| a | b |\n|---|---|\n', '| 1 | 2 |\n', '| x y z w | v |\n', '---\n', '===\n'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '👩‍👩‍👧‍👦',
      'e\u0301',
      '\u0301',
      'ก็',
      'กำลังทดสอบ',
      '中文。',
      '日本語',
      '🇩🇪',
      '𝒳',
      '<|endoftext|>',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('x'.repeat(300), '-'.repeat(200), ' '.repeat(150), 'ab/cd//', ');\n// c\n', "don't "),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);
const markdown = fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join(''));

const anySpec: fc.Arbitrary<ChunkerSpec> = fc
  .record({
    strategy: fc.constantFrom('structure' as const, 'fixed' as const),
    tokenizer: fc.constantFrom('o200k_base' as const, 'words' as const, 'characters' as const),
    size: fc.integer({ min: 8, max: 120 }),
    share: fc.double({ min: 0, max: 0.9, noNaN: true }),
  })
  .map(({ share, ...rest }) => spec({ ...rest, overlap: Math.floor(rest.size * share) }));

/** Divides a list at random places. */
function divide<T>(whole: readonly T[], cuts: readonly number[]): T[][] {
  const bounds = [...new Set(cuts.map((at) => at % (whole.length + 1)))].sort((a, b) => a - b);
  return [...bounds, whole.length].map((end, index) => whole.slice(bounds[index - 1] ?? 0, end));
}

describe('chunks of any text under any spec', () => {
  it('have exact offsets, cover the text, keep the size and whole graphemes', () => {
    fc.assert(
      fc.property(markdown, anySpec, (text, chunkerSpec) => {
        const blocks = blocksOf([text]);
        expectInvariants(chunkerSpec, blocks.map((block) => block.text).join(''), chunksOf(chunkerSpec, [blocks]));
      }),
      { numRuns: 400 },
    );
  });

  it('do not depend on how the text comes in, and are the same twice', () => {
    const cuts = fc.array(fc.nat(), { maxLength: 6 });
    fc.assert(
      fc.property(markdown, anySpec, cuts, cuts, (text, chunkerSpec, textCuts, blockCuts) => {
        const whole = blocksOf([text]);
        const segments = divide(text.split(''), textCuts).map((units) => units.join(''));
        expect(blocksOf(segments)).toEqual(whole);
        const chunks = chunksOf(chunkerSpec, [whole]);
        expect(chunksOf(chunkerSpec, divide(whole, blockCuts))).toEqual(chunks);
        expect(chunksOf(chunkerSpec, [whole])).toEqual(chunks);
      }),
      { numRuns: 400 },
    );
  });
});

describe('chunks of real documents', () => {
  const files = [
    ...globSync('node_modules/fastify/docs/**/*.md'),
    ...globSync('node_modules/*/README.md').slice(0, 120),
    ...globSync('node_modules/*/LICENSE').slice(0, 20),
  ];
  const specs = [
    spec({}),
    spec({ size: 200, overlap: 20 }),
    spec({ tokenizer: 'words', size: 60, overlap: 10 }),
    spec({ tokenizer: 'characters', size: 400, overlap: 40 }),
    spec({ strategy: 'fixed', size: 200, overlap: 50 }),
  ];

  it('hold what all chunks do', () => {
    expect(files.length).toBeGreaterThan(100);
    for (const file of files) {
      const blocks = blocksOf([readFileSync(file, 'utf8')], file.endsWith('.md') ? 'markdown' : 'text');
      const text = blocks.map((block) => block.text).join('');
      const bounds = graphemeBounds(text);
      for (const chunkerSpec of specs) expectInvariants(chunkerSpec, text, chunksOf(chunkerSpec, [blocks]), bounds);
    }
  });

  it('are few crumbs', () => {
    const sizes = files.flatMap((file) => {
      const chunks = cut(spec({ tokenizer: 'words', size: 100, overlap: 0 }), readFileSync(file, 'utf8'));
      return chunks.length < 2 ? [] : chunks.map(({ text }) => text.split(/\s+/).length);
    });
    expect(sizes.filter((size) => size < 10).length / sizes.length).toBeLessThan(0.02);
  });
});
