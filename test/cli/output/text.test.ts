import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, counted, duration } from '../../../cli/output/numbers.js';
import { safeLine, safeText } from '../../../cli/output/safe-text.js';
import { styleOf } from '../../../cli/output/style.js';
import { table } from '../../../cli/output/table.js';
import { clip, columns, wrap } from '../../../cli/output/wrap.js';

describe('text of documents on a terminal', () => {
  it.each([
    ['colours', 'a\u001b[31mred\u001b[0mb', 'aredb'],
    ['a window title', 'a\u001b]0;owned\u0007b', 'ab'],
    ['a hyperlink', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['an unfinished string', 'a\u001b]52;c;ZXZpbA==', 'a'],
    ['eight-bit sequences', 'a\u009b2Jb', 'ab'],
    ['a reset', '\u001bcx', 'x'],
    ['bell, backspace, delete', 'a\u0007b\u0008c\u007fd', 'abcd'],
    ['direction overrides', 'user\u202etxt.exe', 'usertxt.exe'],
    ['carriage returns that overwrite', 'safe\revil', 'safe\nevil'],
  ])('drops %s', (_, raw, shown) => {
    expect(safeText(raw)).toBe(shown);
  });

  it('keeps words of any language, newlines and tabs', () => {
    const text = 'Zürich\n\t日本語 🎈 नमस्ते a\u200db';
    expect(safeText(text)).toBe(text);
  });

  it('never lets a control character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        // eslint-disable-next-line no-control-regex -- control characters are what this is about
        expect(safeText(raw)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u);
      }),
    );
  });

  it('makes one line of many', () => {
    expect(safeLine('  a\n\n b\t c ')).toBe('a b c');
  });
});

describe('layout', () => {
  it('counts wide characters as two columns and clips at graphemes', () => {
    expect(columns('日本')).toBe(4);
    expect(clip('日本語です', 5)).toBe('日本…');
    expect(clip('short', 5)).toBe('short');
    expect(clip('a long line', 6)).toBe('a lon…');
  });

  it('wraps at spaces and keeps an overlong word whole', () => {
    const long = 'x'.repeat(40);
    expect(wrap(`one two three four five six ${long} end`, 22, '  ')).toBe(
      `  one two three four\n  five six\n  ${long}\n  end`,
    );
  });

  it('aligns numbers to the right', () => {
    expect(
      table(
        ['name', 'chunks'],
        [
          ['a', '5'],
          ['long name', '1,200'],
        ],
      ),
    ).toBe('name       chunks\na               5\nlong name   1,200');
  });

  it('writes numbers as people read them', () => {
    expect([bytes(0), bytes(999), bytes(1_400), bytes(150_000_000)]).toEqual(['0 B', '999 B', '1.4 kB', '150 MB']);
    expect([duration(0.42), duration(12), duration(200)]).toEqual(['0.4 s', '12 s', '3 min 20 s']);
    expect([counted(1, 'file'), counted(0, 'file'), counted(1234, 'file')]).toEqual([
      '1 file',
      '0 files',
      '1,234 files',
    ]);
  });

  it('colours a terminal only, and not where NO_COLOR is set', () => {
    const terminal = { isTTY: true, columns: 90 };
    expect(styleOf(terminal, {}).bold('x')).toBe('\u001b[1mx\u001b[22m');
    expect(styleOf(terminal, { NO_COLOR: '1' }).bold('x')).toBe('x');
    expect(styleOf({}, {}).bold('x')).toBe('x');
    expect(styleOf({}, { FORCE_COLOR: '1' }).bold('x')).not.toBe('x');
    expect([styleOf(terminal, {}).width, styleOf({}, {}).width, styleOf({}, { COLUMNS: '60' }).width]).toEqual([
      90, 80, 60,
    ]);
  });
});
