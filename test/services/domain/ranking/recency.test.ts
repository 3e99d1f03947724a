import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentDate, type DateSources } from '../../../../services/domain/ranking/document-date.js';
import { recency } from '../../../../services/domain/ranking/recency.js';

const now = new Date('2025-06-30T00:00:00Z');
const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000);

describe('recency', () => {
  it('halves a score per half-life', () => {
    const items = [
      { item: 'old', score: 0.8, date: daysAgo(180) },
      { item: 'half', score: 0.8, date: daysAgo(90) },
      { item: 'new', score: 0.5, date: daysAgo(0) },
    ];
    const ordered = recency(items, { now, halfLifeDays: 90 });
    expect(ordered.map(({ item, aged, score }) => [item, aged, score])).toEqual([
      ['new', 0.5, 0.5],
      ['half', 0.4, 0.8],
      ['old', 0.2, 0.8],
    ]);
  });

  it('leaves what is undated or in the future as it is', () => {
    const items = [
      { item: 'undated', score: 0.5, date: undefined },
      { item: 'future', score: 0.4, date: daysAgo(-400) },
    ];
    expect(recency(items, { now, halfLifeDays: 90 }).map(({ factor }) => factor)).toEqual([1, 1]);
  });

  it('lowers negative scores with age too', () => {
    const items = [
      { item: 'old', score: -0.2, date: daysAgo(900) },
      { item: 'new', score: -0.2, date: daysAgo(0) },
    ];
    expect(recency(items, { now, halfLifeDays: 90 }).map(({ item }) => item)).toEqual(['new', 'old']);
  });

  it('is stable, also for ages beyond all numbers', () => {
    const items = [1, 2, 3].map((item) => ({ item, score: -1, date: new Date(0) }));
    expect(recency(items, { now, halfLifeDays: 0.001 }).map(({ item }) => item)).toEqual([1, 2, 3]);
  });

  it('never raises a score, and never adds or drops an item', () => {
    const item = fc.record({
      score: fc.double({ min: -1, max: 1, noNaN: true }),
      date: fc.option(fc.date({ noInvalidDate: true }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(item), fc.double({ min: 0.1, max: 5000, noNaN: true }), (items, halfLifeDays) => {
        const numbered = items.map((entry, index) => ({ ...entry, item: index }));
        const aged = recency(numbered, { now, halfLifeDays });
        expect(aged.map((entry) => entry.item).sort((a, b) => a - b)).toEqual(numbered.map((entry) => entry.item));
        for (const entry of aged) expect(entry.aged).toBeLessThanOrEqual(entry.score);
      }),
    );
  });

  it.each([0, -1, NaN])('refuses a half-life of %s', (halfLifeDays) => {
    expect(() => recency([], { now, halfLifeDays })).toThrow(/above 0/);
  });
});

describe('the date of a document', () => {
  const ingestedAt = new Date('2025-01-01T00:00:00Z');
  const fileTime = new Date('2024-01-01T00:00:00Z');
  const known = (sources: Partial<DateSources>): string =>
    documentDate({ attributes: {}, fileTime: null, source: '', ingestedAt, ...sources })
      .toISOString()
      .slice(0, 10);

  it('is what it says of its last change, before all else', () => {
    expect(known({ attributes: { updated: '2023-02-03', created: '2020-01-01' }, fileTime })).toBe('2023-02-03');
    expect(known({ attributes: { lastmod: '2023-02-03T10:00:00+02:00' }, fileTime })).toBe('2023-02-03');
    expect(known({ attributes: { modified: '2023-02-03 10:00' } })).toBe('2023-02-03');
  });

  it('else the time of the file, else the path, else its creation, else its coming', () => {
    const attributes = { created: '2020-05-06' };
    const source = 'file:///notes/2022-07-08.md';
    expect(known({ attributes, source, fileTime })).toBe('2024-01-01');
    expect(known({ attributes, source })).toBe('2022-07-08');
    expect(known({ attributes })).toBe('2020-05-06');
    expect(known({})).toBe('2025-01-01');
  });

  it('takes the rightmost real date of a path, or the Monday of a week', () => {
    expect(known({ source: 'log/2021/03/04/copy-2022_05_06.txt' })).toBe('2022-05-06');
    expect(known({ source: '2021-02-31/2021-03-01/2021-13-01.txt' })).toBe('2021-03-01');
    expect(known({ source: 'weekly/2021-W01.md' })).toBe('2021-01-04');
    expect(known({ source: 'weekly/2020-W01.md' })).toBe('2019-12-30');
    expect(known({ source: 'id/120210-05-061' })).toBe('2025-01-01');
  });

  it('takes no word for a date that is none', () => {
    expect(known({ attributes: { updated: 'soon', modified: '2023-99-99', last_modified: 2023 } })).toBe('2025-01-01');
  });
});
