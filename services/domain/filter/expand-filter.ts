import type { AttributeValue } from '../attributes.js';
import { SluiceError } from '../errors.js';
import { evaluate } from './evaluate.js';
import type { Filter, Scalar } from './filter.js';
import { scalarsOf, typed } from './typed-values.js';

/** More distinct values than this are not expanded. */
export const maxExpandedValues = 10_000;

/**
 * Rewrites what a store cannot express (`~`, `<`, `<=`, `>`, `>=`) into membership of the values that the key really
 * has: those for which the reference semantics hold, so that the store's answer is exact and applied before its top is
 * cut. `distinctValuesOf` gives a key's distinct values, scalars or lists. Throws invalid-argument when a key has more
 * than 10,000.
 */
export async function expandFilter(
  filter: Filter,
  distinctValuesOf: (key: string) => Promise<readonly unknown[]>,
): Promise<Filter> {
  const known = new Map<string, Promise<readonly Scalar[]>>();
  const valuesOf = (key: string): Promise<readonly Scalar[]> => {
    let values = known.get(key);
    if (values === undefined) known.set(key, (values = distinctScalars(key, distinctValuesOf)));
    return values;
  };
  const expand = async (part: Filter): Promise<Filter> => {
    switch (part.kind) {
      case 'and':
        return { kind: 'and', all: await Promise.all(part.all.map(expand)) };
      case 'or':
        return { kind: 'or', any: await Promise.all(part.any.map(expand)) };
      case 'not':
        return { kind: 'not', filter: await expand(part.filter) };
      case 'exists':
      case 'in':
        return part;
      case 'compare': {
        if (part.operator === '=' || part.operator === '!=') return part;
        const values = await valuesOf(part.key);
        const holding = values.filter((value) => evaluate(part, { [part.key]: value }));
        return { kind: 'in', key: part.key, values: holding, exact: true };
      }
    }
  };
  return expand(filter);
}

async function distinctScalars(
  key: string,
  distinctValuesOf: (key: string) => Promise<readonly unknown[]>,
): Promise<readonly Scalar[]> {
  const byText = new Map<string, Scalar>();
  for (const value of await distinctValuesOf(key)) {
    if (!isAttributeValue(value)) continue;
    for (const scalar of scalarsOf(value)) byText.set(typed(scalar).s, scalar);
  }
  if (byText.size > maxExpandedValues) {
    throw new SluiceError(
      'invalid-argument',
      `the filter compares ${JSON.stringify(key)} by pattern or order, and the collection holds more than ` +
        `${maxExpandedValues} distinct values of it: use = or "in" on this key, or a coarser attribute`,
    );
  }
  return [...byText.values()];
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
const isAttributeValue = (value: unknown): value is AttributeValue =>
  isScalar(value) || (Array.isArray(value) && value.every(isScalar));
