import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { measureText } from '../../../services/chunker/measure/measure-text.js';
import { pretokenEnd } from '../../../services/chunker/measure/pretokens.js';
import { sizeOf } from './invariants.js';

/** The split as the encoding publishes it. */
const published =
  /[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

const dense = fc.string({
  unit: fc.constantFrom(..."abAB12 \t\n\r\v./'sSlLrReEvV,;-|<é中ก".split(''), '\u0301', '𝒳', '\u00a0', ' ', ' '),
  maxLength: 60,
});
/** A text and two places in it that cut no surrogate pair. */
const stretch = fc.tuple(dense, fc.nat(), fc.nat()).map(([text, a, b]) => {
  const places = [0, ...[...text].map((point, index, all) => all.slice(0, index + 1).join('').length)];
  const [start = 0, end = 0] = [a, b].map((at) => places[at % places.length] ?? 0).sort((x, y) => x - y);
  return { text, start, end };
});

describe('sizes', () => {
  it('in tokens come from the published split', () => {
    fc.assert(
      fc.property(dense, (text) => {
        const ends: number[] = [];
        for (let at = 0; at < text.length; ends.push(at)) at = pretokenEnd(text, at);
        expect(ends).toEqual([...text.matchAll(published)].map((match) => match.index + match[0].length));
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['o200k_base', 'words', 'characters'] as const)(
    'of any stretch in %s are those of the stretch alone',
    (unit) => {
      fc.assert(
        fc.property(stretch, ({ text, start, end }) => {
          fc.pre(!/\s$/.test(text.slice(start, end)));
          expect(measureText(unit, text, 0).count(start, end)).toBe(sizeOf(text.slice(start, end), unit));
        }),
        { numRuns: 3000 },
      );
    },
  );

  it('in tokens never fall short of the tokenizer’s, however long a run is', () => {
    for (const text of [
      'a'.repeat(5_000),
      'xyzw'.repeat(2_000),
      '中文字'.repeat(700),
      '-'.repeat(900),
      ' '.repeat(900),
    ]) {
      const counted = measureText('o200k_base', text, 0).count(0, text.length);
      const exact = countTokens(text);
      expect(counted).toBeGreaterThanOrEqual(exact);
      expect(counted).toBeLessThanOrEqual(exact * 2 + text.length / 32 + 1);
    }
  });

  it('in words count a run without spaces by its length', () => {
    const text = `${'x'.repeat(250)} y`;
    expect(measureText('words', text, 0).count(0, text.length)).toBe(4);
    expect(measureText('words', text, 0).count(200, text.length)).toBe(2);
  });
});
