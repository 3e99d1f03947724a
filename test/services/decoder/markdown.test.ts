import { describe, expect, it } from 'vitest';
import { decode } from '../../../services/decoder/decode.js';
import { parseFrontMatter } from '../../../services/decoder/markdown/front-matter.js';
import { plainTitle } from '../../../services/decoder/markdown/inline.js';
import { blocksOf } from '../chunker/cutting.js';

const kinds = (text: string): string[] =>
  blocksOf([text]).map(({ kind, title }) => (title === undefined ? kind : `${kind}: ${title}`));
const joined = (text: string): string =>
  blocksOf([text])
    .map((block) => block.text)
    .join('');

describe('Markdown', () => {
  it('is kept as it is', () => {
    const text = '\n\n# A\ntext *as is*\n\n- x\n\n  y\n* z\n\n```\n# c\n\n```\n| a |\n|---|\n| b |\n\nend';
    expect(joined(text)).toBe(text);
  });

  it('has headings of both kinds, fences, tables and lists', () => {
    const text =
      '# One\npara\ngraph\n\nTwo\n===\n\nThree\n---\n- item\n  more\n- [ ] item\n\n1. first\n\n   ```js\n   # no\n   ```\n\n' +
      'text\n| a | b |\n|---|---|\n| 1 | 2 |\nafter\n\n    indented\n\n~~~\n```\n# no\n~~~\n## Four ##\n***\n> quote\n';
    expect(kinds(text)).toEqual([
      'heading: One',
      'paragraph',
      'heading: Two',
      'heading: Three',
      ...['list', 'list', 'list', 'paragraph', 'table', 'paragraph', 'code', 'code'],
      'heading: Four',
      ...['paragraph', 'paragraph'],
    ]);
  });

  it.each([
    ['a fence that is not closed', '```\n# no\n\n# no\n', ['code']],
    ['a fence with its closing line further out', '- a\n  ```\n  # no\n```\n\n# Yes\n', ['list', 'heading: Yes']],
    ['a fence on a list marker’s line', '- ```\n  # no\n  ```\n\n# Yes\n', ['list', 'heading: Yes']],
    ['a comment', '<!--\n# no\n-->\n\n# Yes\n', ['paragraph', 'heading: Yes']],
    ['pre', '<pre>\n# no\n\n# no\n</pre>\n# Yes\n', ['code', 'heading: Yes']],
    ['a quote', '> # no\n', ['paragraph']],
    ['four spaces', '    # no\n', ['code']],
    ['seven signs, or no space', '####### no\n\n#no\n', ['paragraph', 'paragraph']],
    ['a rule after a list', '- a\n---\nb\n', ['list', 'paragraph', 'paragraph']],
    ['a row of dashes under two lines', 'a\nb\n---\n', ['paragraph', 'paragraph']],
    ['inline backticks that look like a fence', '```code```\n# Yes\n', ['paragraph', 'heading: Yes']],
  ])('takes nothing for a heading in %s', (_, text, expected) => {
    expect(kinds(text)).toEqual(expected);
    expect(joined(text)).toBe(text);
  });

  it.each([
    ['C#', 'C#'],
    ['`code` and **bold** [link](http://x) {#id}', 'code and bold link'],
    ['![logo](a.png) snake_case_name *it*', 'logo snake_case_name it'],
    ['a \\* b <a name="x"></a>', 'a * b'],
  ])('reads the title %s without marks', (markdown, title) => {
    expect(plainTitle(markdown)).toBe(title);
    expect(kinds(`# ${markdown} #\n`)).toEqual([`heading: ${title}`]);
  });

  it('bounds the size of its blocks', () => {
    for (const text of [
      'word '.repeat(60_000),
      `\`\`\`\n${'line\n'.repeat(60_000)}`,
      'a\n'.repeat(90_000),
      '\n'.repeat(99_999),
    ]) {
      const blocks = blocksOf([text]);
      expect(Math.max(...blocks.map((block) => block.text.length))).toBeLessThanOrEqual(65_536);
      expect(blocks.slice(1).every((block) => block.continued === true)).toBe(true);
      expect(blocks.map((block) => block.text).join('')).toBe(text);
    }
  });
});

describe('front matter', () => {
  const attributes = (text: string) => decode('markdown', text, undefined, true).attributes;

  it('is taken out of the text and keeps its types', () => {
    const text =
      '---\ntitle: "Guide: part 1"\nyear: 2024\nratio: 0.75\ndraft: false\ntags: [a, "b, c", 3]\nlist:\n  - x\n  - 7\n' +
      '# comment\n\nempty:\nno colon here\nurl: http://x/y\nversion: 7.3.2\nzip: 007\ndate: 2024-05-01\n' +
      'nested:\n  key: true\nabout: >\n  two\n  lines\ncount: 3 # three\n---\n# Text\n';
    expect(attributes(text)).toEqual({
      title: 'Guide: part 1',
      year: 2024,
      ratio: 0.75,
      draft: false,
      tags: ['a', 'b, c', 3],
      list: ['x', 7],
      url: 'http://x/y',
      version: '7.3.2',
      zip: '007',
      date: '2024-05-01',
      'nested.key': true,
      about: 'two lines',
      count: 3,
    });
    expect(joined(text)).toBe('# Text\n');
  });

  it.each([
    ['not closed', '---\ntitle: x\n\ntext\n'],
    ['not on the first line', '\n---\ntitle: x\n---\n'],
    ['without a key', '---\nJust text between rules.\n---\n'],
    ['begun by more dashes', '----\na: b\n----\n'],
    ['closed only after a thousand lines', `---\n${'a: b\n'.repeat(1_001)}---\n`],
  ])('is none when %s', (_, text) => {
    expect(attributes(text)).toBeUndefined();
    expect(joined(text)).toBe(text);
  });

  it('may be empty', () => {
    expect(attributes('---\n---\ntext')).toEqual({});
    expect(joined('---\n---\ntext')).toBe('text');
    expect(parseFrontMatter(['__proto__: x', 'constructor: y'])).toHaveProperty('constructor', 'y');
  });
});
