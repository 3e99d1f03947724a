import { describe, expect, it } from 'vitest';
import { parseAttributes } from '../../../cli/load/attributes.js';
import { UsageError } from '../../../cli/usage-error.js';

describe('--meta', () => {
  it.each([
    ['year=2024', { year: 2024 }],
    ['share=0.75', { share: 0.75 }],
    ['below=-3', { below: -3 }],
    ['draft=false', { draft: false }],
    ['code=007', { code: '007' }],
    ['release=7.10', { release: '7.10' }],
    ['quoted="2024"', { quoted: '2024' }],
    ['topics=["a",2,true]', { topics: ['a', 2, true] }],
    ['url=https://x/?a=b', { url: 'https://x/?a=b' }],
    ['empty=', { empty: '' }],
    ['huge=12345678901234567890', { huge: '12345678901234567890' }],
    ['word=Infinity', { word: 'Infinity' }],
  ])('reads %s', (argument, attributes) => {
    expect(parseAttributes([argument])).toEqual(attributes);
  });

  it('takes a key that names something of objects', () => {
    expect(Object.keys(parseAttributes(['__proto__=x', 'constructor=y']))).toEqual(['__proto__', 'constructor']);
  });

  it.each([['year'], ['=2024'], [' =x'], ['list=[{"a":1}]'], ['list=[null]']])('refuses %s', (argument) => {
    expect(() => parseAttributes([argument])).toThrow(UsageError);
  });

  it('refuses a key given twice', () => {
    expect(() => parseAttributes(['a=1', 'a=2'])).toThrow(/"a" twice/);
  });
});
