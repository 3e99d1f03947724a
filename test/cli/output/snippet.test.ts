import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snippet } from '../../../cli/output/snippet.js';

describe('a snippet', () => {
  it('is the part with the most words of the query, begun a little before', () => {
    const text = `${'Filler words here. '.repeat(20)}The body limits are set by bytes. ${'More filler. '.repeat(20)}`;
    const shown = snippet(text, 'How to limit a body in bytes?', 80);
    expect(shown).toMatch(/^… .*The body limits are set by bytes/u);
  });

  it('is the beginning where nothing matches, and all of a short text', () => {
    expect(snippet('one two three four', 'zebra', 7)).toBe('one two');
    expect(snippet('short', 'zebra', 7)).toBe('short');
  });

  it('is a part of the text, and no longer than asked', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 300 }),
        fc.string(),
        fc.integer({ min: 10, max: 80 }),
        (text, query, length) => {
          const shown = snippet(text, query, length).replace(/^… /u, '');
          expect(text).toContain(shown);
          expect(shown.length).toBeLessThanOrEqual(length);
        },
      ),
    );
  });
});
