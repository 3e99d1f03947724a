import { describe, expect, it } from 'vitest';
import { cut, inWords, spec } from './cutting.js';

const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index + 1}`).join(' ');

describe('structure', () => {
  const document = `# Auth\n${words(6)}\n\n## Keys\n${words(6)}\n`;

  it('cuts at headings and names each chunk’s path', () => {
    expect(cut(inWords(10), document).map(({ headingPath }) => headingPath)).toEqual([['Auth'], ['Auth', 'Keys']]);
  });

  it('merges neighbouring sections that fit together under their common path', () => {
    const chunks = cut(inWords(100), document);
    expect(chunks.map(({ headingPath }) => headingPath)).toEqual([['Auth']]);
    expect(chunks[0]?.text).toBe(document.trimEnd());
  });

  it.each(['```', '~~~'])('takes nothing inside a %s fence for a heading', (fence) => {
    const chunks = cut(inWords(100), `# A\n\n${fence}sh\n## x\n# comment\n${fence}\n`);
    expect(chunks).toHaveLength(1);
    expect(chunks[0]?.headingPath).toEqual(['A']);
    expect(chunks[0]?.text).toContain('# comment');
  });

  it('keeps the prose before a # that is part of the text', () => {
    const text = '# Issues\n\nPrefer C# here. See #42 and\n#43 too.\n';
    expect(cut(inWords(100), text).map((chunk) => chunk.text)).toEqual([text.trimEnd()]);
  });

  it('keeps a fence whole where it fits', () => {
    const code = '```js\nconst a = 1\n\nconst b = 2\n```';
    const chunks = cut(inWords(12), `${words(8)}\n\n${code}\n\n${words(8)}\n`);
    expect(chunks.map((chunk) => chunk.text)).toContain(code);
  });

  it('repeats the header of a table and the opening line of a fence that are longer than a chunk', () => {
    const header = '| id | name |\n|----|------|\n';
    const rows = Array.from({ length: 30 }, (_, index) => `| ${index} | n${index} |`).join('\n');
    const chunks = cut(inWords(40), `# T\n\n${header}${rows}\n`);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks[0]?.text).toContain(header);
    for (const chunk of chunks.slice(1)) {
      expect(chunk.lead).toBe(header);
      expect(chunk.text.split('\n').every((row) => /^\| \d+ \| n\d+ \|$/.test(row))).toBe(true);
    }
    const code = Array.from({ length: 30 }, (_, index) => `call(${index})`).join('\n');
    const [first, ...rest] = cut(inWords(10), `\`\`\`js\n${code}\n\`\`\`\n`);
    expect(first?.lead).toBeUndefined();
    expect(rest.every(({ lead }) => lead === '```js\n')).toBe(true);
  });

  it('leaves no heading or crumb alone that could stand with what follows', () => {
    const chunks = cut(inWords(40), `# Title\n\n${words(20)}.\n\n${words(19)}.\n`);
    expect(chunks).toHaveLength(2);
    expect(chunks[0]?.text.startsWith('# Title\n\nw1')).toBe(true);
  });

  it('evens out a crumb at the end', () => {
    const sentences = Array.from({ length: 21 }, (_, index) => `s${index} b.`).join(' ');
    const sizes = cut(inWords(40), sentences).map((chunk) => chunk.text.split(' ').length);
    expect(sizes).toEqual([22, 20]);
  });
});

describe('fixed', () => {
  it('cuts windows of whole words that overlap', () => {
    const chunks = cut(inWords(4, { strategy: 'fixed', overlap: 1 }), words(10), 'text');
    expect(chunks.map(({ text }) => text)).toEqual(['w1 w2 w3 w4', 'w4 w5 w6 w7', 'w7 w8 w9 w10']);
  });

  it('finds each of two equal words at its own place', () => {
    const chunks = cut(spec({ strategy: 'fixed', tokenizer: 'words', size: 1, overlap: 0 }), 'chunk chunk', 'text');
    expect(chunks.map(({ start, end }) => [start, end])).toEqual([
      [0, 5],
      [6, 11],
    ]);
  });
});

describe('any strategy', () => {
  it.each(['structure', 'fixed'] as const)('%s ends, whatever the overlap', (strategy) => {
    for (const overlap of [1, 3, 4]) {
      const chunks = cut(inWords(5, { strategy, overlap }), words(50), 'text');
      expect(chunks.at(-1)?.text.endsWith('w50')).toBe(true);
      expect(chunks.length).toBeLessThanOrEqual(50);
    }
  });

  it.each(['structure', 'fixed'] as const)('%s cuts a word of 5,000 characters', (strategy) => {
    const word = 'abcdefghij'.repeat(500);
    for (const tokenizer of ['characters', 'o200k_base', 'words'] as const) {
      const chunks = cut(spec({ strategy, tokenizer, size: 40, overlap: 0 }), word, 'text');
      expect(chunks.length).toBeGreaterThan(1);
      expect(chunks.map(({ text }) => text).join('')).toBe(word);
    }
  });

  it('reads a special token as text', () => {
    const text = 'before <|endoftext|> after';
    expect(cut(spec({}), text).map((chunk) => chunk.text)).toEqual([text]);
  });

  it('makes no chunk of white space', () => {
    expect(cut(spec({}), '\n\n  \n\u3000\n\t\n')).toEqual([]);
    expect(cut(spec({ strategy: 'fixed' }), ' \n ')).toEqual([]);
  });

  it('refuses a spec that it does not know', () => {
    expect(() => cut(spec({ overlap: 512 }), 'x')).toThrow(/overlap/);
    expect(() => cut(spec({ size: 0 }), 'x')).toThrow(/size/);
    expect(() => cut(spec({ version: 2 }), 'x')).toThrow(/structure\/1 and fixed\/1/);
  });
});

describe('scripts without spaces', () => {
  it.each([
    ['Thai', 'การทดสอบภาษาไทยที่ไม่มีช่องว่างระหว่างคำเพื่อดูว่าตัดคำถูกต้องหรือไม่และไม่แยกสระออกจากพยัญชนะ'],
    ['Chinese', '中文文本没有空格我们需要在词语边界处切分而不是在字符中间切分这样检索效果会更好一些'],
    ['Japanese', '日本語のテキストには空白がありませんので単語の境界で分割する必要がありますそうでしょう'],
  ])('%s is cut at words', (_, text) => {
    const bounds = new Set([0, text.length]);
    for (const { index } of new Intl.Segmenter('en', { granularity: 'word' }).segment(text)) bounds.add(index);
    for (const strategy of ['structure', 'fixed'] as const) {
      const chunks = cut(spec({ strategy, tokenizer: 'characters', size: 12, overlap: 3 }), text);
      expect(chunks.length).toBeGreaterThan(4);
      for (const chunk of chunks) {
        expect(bounds.has(chunk.start) && bounds.has(chunk.end)).toBe(true);
        expect(chunk.text).not.toMatch(/^\p{M}/u);
      }
    }
  });
});
