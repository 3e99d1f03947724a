import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble, type ContextHit } from '../../../../services/domain/context/assemble.js';
import { codePoints } from '../../../../services/domain/text.js';
import { sliceCodePoints } from '../../../../services/domain/code-point-slice.js';

const hit = (text: string, rest: Partial<ContextHit> = {}): ContextHit => ({
  ...{ versionHash: '', hydrated: true, text, lead: null, headingPath: [], source: 'a.md' },
  ...{ start: 0, end: codePoints(text) },
  ...rest,
});
const options = {
  maxTokens: 10,
  countTokens: (text: string) => Math.floor(Buffer.byteLength(text) / 4),
  render: ({ printed }: { printed: string }) => printed,
};

describe('assembling a context', () => {
  it('skips what does not fit and goes on', () => {
    const context = assemble(
      [20, 40, 16].map((bytes) => hit('x'.repeat(bytes))),
      options,
    );
    expect(context).toMatchObject({ included: [0, 2], firstExcluded: 1, totalTokens: 9, maxTokens: 10 });
    expect(context.passages[1]).toMatchObject({ marker: 2, position: 2 });
    expect(context.context).toBe(`${'x'.repeat(20)}\n\n${'x'.repeat(16)}`);
  });

  it('takes 4,096 tokens for a budget of 0 or less', () => {
    expect(assemble([], { ...options, maxTokens: 0 })).toMatchObject({
      maxTokens: 4096,
      included: [],
      firstExcluded: -1,
    });
    expect(assemble([hit('x')], { ...options, maxTokens: -1 })).toMatchObject({ included: [0], firstExcluded: -1 });
  });

  it('counts headers, as they are rendered', () => {
    const render = ({ marker, printed }: { marker: number; printed: string }) => `[${marker}] abcd ${printed}`;
    expect(assemble([hit('x'.repeat(20)), hit('x'.repeat(8))], { ...options, render })).toMatchObject({
      included: [0],
      totalTokens: 7,
    });
  });

  it('cuts the first hit after a word rather than dropping it, and says where', () => {
    const text = 'The mill stands by the river, and the wheel turns all day long.';
    const { passages, included, totalTokens } = assemble([hit(text, { start: 100 }), hit('no room')], options);
    expect(included).toEqual([0]);
    expect(passages[0]?.text).toBe('The mill stands by the river, and the wheel');
    expect(passages[0]?.end).toBe(100 + 43);
    expect(totalTokens).toBeLessThanOrEqual(10);
  });

  it('cuts a text without words between graphemes', () => {
    const family = '👨‍👩‍👧‍👦';
    const { passages } = assemble([hit(family.repeat(9))], options);
    expect(passages[0]?.text).toBe(family);
    expect(passages[0]?.end).toBe(7);
  });

  it('never includes a hit whose text is missing, and cuts the first that has one', () => {
    const gone = hit('', { hydrated: false });
    expect(assemble([gone, hit('x'.repeat(80))], options)).toMatchObject({ included: [1], firstExcluded: 0 });
  });

  describe('of neighbours in one text', () => {
    const text = 'one two three four five six seven eight nine ten';
    const piece = (start: number, end: number, versionHash = 'v'): ContextHit =>
      hit(sliceCodePoints(text, start, end), { start, end, versionHash });
    const printed = (hits: ContextHit[]): string[] =>
      assemble(hits, { ...options, maxTokens: 1000 }).passages.map((passage) => passage.printed);

    it('prints what they share once, whichever comes first', () => {
      expect(printed([piece(0, 18), piece(14, 27)])).toEqual(['one two three four', ' five six']);
      expect(printed([piece(14, 27), piece(0, 18)])).toEqual(['four five six', 'one two three ']);
      expect(printed([piece(24, 48), piece(0, 13), piece(8, 27)])[2]).toBe(' four five ');
    });

    it('gives a hit that others cover its own place all the same', () => {
      const { included, passages } = assemble([piece(0, 24), piece(4, 13)], { ...options, maxTokens: 1000 });
      expect(included).toEqual([0, 1]);
      expect(passages[1]).toMatchObject({ marker: 2, printed: '', text: 'two three' });
    });

    it('leaves other texts whole', () => {
      expect(printed([piece(0, 18), piece(14, 27, 'w')])).toEqual(['one two three four', 'four five six']);
    });
  });

  it('never exceeds its budget, keeps the order, and numbers what it includes', () => {
    const hits = fc.array(
      fc
        .record({ text: fc.string({ unit: 'grapheme', maxLength: 120 }), hydrated: fc.boolean() })
        .map((some) => hit(some.text, { hydrated: some.hydrated })),
    );
    fc.assert(
      fc.property(hits, fc.integer({ min: 1, max: 60 }), (given, maxTokens) => {
        const { passages, included, firstExcluded, totalTokens } = assemble(given, { ...options, maxTokens });
        expect(totalTokens).toBeLessThanOrEqual(maxTokens);
        expect(included).toEqual([...included].sort((a, b) => a - b));
        expect(passages.map(({ marker }) => marker)).toEqual(passages.map((_, index) => index + 1));
        expect(firstExcluded).toBe(given.findIndex((_, position) => !included.includes(position)));
        for (const { text, position } of passages) expect(given[position]?.text.startsWith(text)).toBe(true);
      }),
    );
  });
});
