import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../../../services/domain/attributes.js';
import { evaluate } from '../../../../services/domain/filter/evaluate.js';
import { expandFilter } from '../../../../services/domain/filter/expand-filter.js';
import type { Filter } from '../../../../services/domain/filter/filter.js';
import { filterableAttributes } from '../../../../services/domain/filter/filterable-attributes.js';
import { parseFilter } from '../../../../services/domain/filter/parse-filter.js';
import { typedValues } from '../../../../services/domain/filter/typed-values.js';
import { arbitraryAttributes, arbitraryFilter } from './arbitrary.js';

const holds = (where: string, attributes: Attributes): boolean => evaluate(parseFilter(where), attributes);

const invalidArgument = expect.objectContaining({ code: 'invalid-argument' }) as Error;

describe('where, as clauses', () => {
  it.each([
    ['size=1500.0', { size: '1500' }, true],
    ['size=1500.0', { size: 1500 }, true],
    ['owner!=alice', {}, false],
    ['owner!=alice', { owner: 'bob' }, true],
    ['owner != alice', { owner: ['bob', 'alice'] }, false],
    ['year>=2020 AND year<2024', { year: 2023 }, true],
    ['year>=2020 AND year<2024', { year: 2024 }, false],
    ['size>9', { size: '10' }, true],
    ['name>9', { name: 'a10' }, true],
    ['date<2024-05-01T12:00:00+02:00', { date: '2024-05-01' }, true],
    ['date=2024-05-01T00:00:00Z', { date: '2024-05-01' }, true],
    ['date=2024-02-30', { date: '2024-03-01' }, false],
    ['score=0.75', { score: 0.75 }, true],
    ['draft=true', { draft: true }, true],
    ['tags=b', { tags: ['a', 'b'] }, true],
    ['tags=b', { tags: [] }, false],
    ['tags!=b', { tags: [] }, false],
    ['title~*GUIDE*', { title: 'The guide to it' }, true],
    ['path~docs/*.md', { path: 'docs/a.md' }, true],
    ['path~docs/*.md', { path: 'docs/deep/a.md' }, false],
    ['path~docs/**.md', { path: 'docs/deep/a.md' }, true],
    ['tags~v?', { tags: ['x', 'V2'] }, true],
    ['name~[a', { name: '[a' }, false],
    ['name~a.c', { name: 'abc' }, false],
    ['url=http://x?a=b', { url: 'http://x?a=b' }, true],
    ['a<=b', { a: 'b' }, true],
    ['__proto__=x', {}, false],
    ['toString!=x', {}, false],
  ])('%s on %j is %s', (where, attributes, expected) => {
    expect(holds(where, attributes as Attributes)).toBe(expected);
  });

  it.each([['author!'], ['=x'], ['a='], ['a=1 AND b'], ['a=1 AND '], [''], ['  ']])(
    'refuse %j, naming the clause',
    (where) => {
      expect(() => parseFilter(where)).toThrow(invalidArgument);
      expect(() => parseFilter(where)).toThrow(/clause "/);
    },
  );
});

describe('where, as JSON', () => {
  it('says what clauses cannot, and keeps types', () => {
    const where =
      '{"and": ["kind=note", {"or": [{"in": {"year": [3, "x"]}}, {"not": {"exists": "draft"}}]}, {">": {"n": 1}}]}';
    expect(parseFilter(where)).toEqual({
      kind: 'and',
      all: [
        { kind: 'compare', key: 'kind', operator: '=', operand: 'note' },
        {
          kind: 'or',
          any: [
            { kind: 'in', key: 'year', values: [3, 'x'] },
            { kind: 'not', filter: { kind: 'exists', key: 'draft' } },
          ],
        },
        { kind: 'compare', key: 'n', operator: '>', operand: 1 },
      ],
    });
    expect(holds('{"in": {"year": [3]}}', { year: 3 })).toBe(true);
    expect(holds('{"not": {"=": {"a": 1}}}', {})).toBe(true);
  });

  it.each([
    ['{"and": []}'],
    ['{"or": {}}'],
    ['{"near": {"a": 1}}'],
    ['{"in": {"a": []}}'],
    ['{"in": {"a": [{}]}}'],
    ['{"=": {"a": null}}'],
    ['{"=": {"": 1}}'],
    ['{"=": {"a": 1, "b": 2}}'],
    ['{"exists": ""}'],
    ['{}'],
    ['{"a": '],
    ['{"not": "a"}'],
    [`${'{"not":'.repeat(40)}{"exists":"a"}${'}'.repeat(40)}`],
  ])('refuses %s', (where) => {
    expect(() => parseFilter(where)).toThrow(invalidArgument);
  });
});

describe('typed values', () => {
  it('stand under every type that a value parses as', () => {
    expect(typedValues({ size: '1500', date: ['2024-05-01'], ok: true, none: [] })).toEqual([
      ['e.size', true],
      ['s.size', '1500'],
      ['n.size', 1500],
      ['e.date', true],
      ['s.date', '2024-05-01'],
      ['d.date', Date.UTC(2024, 4, 1)],
      ['e.ok', true],
      ['s.ok', 'true'],
      ['b.ok', true],
    ]);
  });
});

describe('expanding a filter', () => {
  it('changes nothing about which attributes it holds for, and leaves only equality, membership and existence', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryFilter, fc.array(arbitraryAttributes, { maxLength: 12 }), async (filter, rows) => {
        const expanded = await expandFilter(filter, (key) => Promise.resolve(rows.map((row) => row[key])));
        expect(JSON.stringify(expanded)).not.toMatch(/"operator":"[<>~]/);
        for (const row of rows) expect(evaluate(expanded, row)).toBe(evaluate(filter, row));
      }),
    );
  });

  it('asks for each key once, and refuses a key with too many values', async () => {
    const asked: string[] = [];
    const filter: Filter = parseFilter('a>1 AND a<9 AND b=1');
    await expandFilter(filter, (key) => Promise.resolve((asked.push(key), [1, 2])));
    expect(asked).toEqual(['a']);
    const many = Array.from({ length: 10_001 }, (_, index) => index);
    await expect(expandFilter(filter, () => Promise.resolve(many))).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

describe('filterable attributes', () => {
  it('are the attributes, over what the version itself says', () => {
    const version = {
      ...{ documentId: 'd', title: 'T', source: 'file:///a.md', tags: ['x'], contentType: null },
      fileTime: new Date(0),
    };
    expect(filterableAttributes({ ...version, attributes: { title: 'mine', n: 1 } })).toEqual({
      document_id: 'd',
      file_time: '1970-01-01T00:00:00.000Z',
      title: 'mine',
      source: 'file:///a.md',
      tags: ['x'],
      n: 1,
    });
  });
});
