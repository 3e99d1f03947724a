import fc from 'fast-check';
import type { Attributes } from '../../../../services/domain/attributes.js';
import type { Filter, Scalar } from '../../../../services/domain/filter/filter.js';

const keys = ['k', 'a.b', "it's", 'k=v', '日本', 's.k', '%3D'];
const texts = [
  '',
  'x',
  'X',
  "it's",
  "'; drop",
  '%',
  '1500',
  '1500.0',
  '1.5e3',
  '-0',
  'true',
  '2024-05-01',
  '2024-05-01T00:00:00Z',
  'a\nb',
  'x=y',
  '\\',
  '𝒳',
  '/',
  'a/b',
];

const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  fc.constantFrom(...texts),
  fc.constantFrom(0, 1, -1, 1500, 0.75, 1e21),
  fc.boolean(),
);

export const arbitraryAttributes: fc.Arbitrary<Attributes> = fc.dictionary(
  fc.constantFrom(...keys),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
);

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    key: fc.constantFrom(...keys),
    operator: fc.constantFrom(
      '=' as const,
      '!=' as const,
      '<' as const,
      '<=' as const,
      '>' as const,
      '>=' as const,
      '~' as const,
    ),
    operand: fc.oneof(scalar, fc.constantFrom('*', '?', '1*', '[x-z]', '**')),
  }),
  fc.record({ kind: fc.constant('exists' as const), key: fc.constantFrom(...keys) }),
  fc.record({
    kind: fc.constant('in' as const),
    key: fc.constantFrom(...keys),
    values: fc.array(scalar, { minLength: 1, maxLength: 3 }),
  }),
);

/** Filters of every kind over a few keys, with values that are hostile to a store's query language. */
export const arbitraryFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ kind: fc.constant('and' as const), all: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('or' as const), any: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('not' as const), filter: tie('filter') }),
  ),
})).filter;
