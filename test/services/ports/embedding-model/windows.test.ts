import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { windowsOf } from '../../../../services/ports/embedding-model/windows.js';

/** A tokenizer that puts two tokens around a text and makes one of every four characters of a word. */
const count = (text: string): number =>
  2 + (text.match(/\S+/gu) ?? []).reduce((sum, word) => sum + Math.ceil(word.length / 4), 0);

describe('windowsOf', () => {
  it('leaves a text alone that fits', () => {
    expect(windowsOf('one two three', 6, count)).toEqual(['one two three']);
    expect(windowsOf('', 5, count)).toEqual(['']);
  });

  it('cuts at the bounds of words, evenly, into no more windows than it takes', () => {
    const text = Array.from({ length: 25 }, (_, index) => `w${index}`).join(' ');
    const windows = windowsOf(text, 12, count);
    expect(windows.map(count)).toEqual([10, 10, 11]);
    expect(windows.every((window) => /^\s?w\d+( w\d+)*$/.test(window))).toBe(true);
    expect(windowsOf(`${text}  \n`, 12, count)).toHaveLength(3);
  });

  it('cuts a word that is longer than a window between code points', () => {
    const windows = windowsOf(`a ${'𝒳'.repeat(40)} b`, 7, count);
    expect(windows.length).toBeGreaterThan(3);
    expect(windows.every((window) => Buffer.from(window).toString() === window)).toBe(true);
  });

  it('gives up on one code point that no window holds', () => {
    expect(windowsOf('𝒳', 3, (text) => 2 + 4 * text.length)).toEqual(['𝒳']);
  });

  it('loses nothing, and no window is too long, also where words and texts do not add up', () => {
    // As in byte-pair encodings, the space before a word may cost a token.
    const uneven = (text: string): number => count(text) + (text.match(/\s[aeiou]/gu) ?? []).length;
    const words = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 60 });
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 20 }), fc.constantFrom(count, uneven), (list, most, counter) => {
        const text = list.join(' ');
        const windows = windowsOf(text, most, counter);
        expect(windows.join('')).toBe(text);
        for (const window of windows) {
          if ([...window].length > 1) expect(counter(window)).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
