import type { Attributes } from '../attributes.js';
import { compareBytes } from '../identity.js';
import type { Filter, Operator, Scalar } from './filter.js';
import { glob } from './glob.js';
import { scalarsOf, typed } from './typed-values.js';

/**
 * What a filter means: the reference that every store is held to. Two numbers compare as numbers, else two dates as
 * instants, else the values' texts in byte order; of a list, one element suffices; `!=` is true if there is a value and
 * none of its elements equals the operand. A missing key, and an empty list, is false for every operator.
 */
export function evaluate(filter: Filter, attributes: Attributes): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.all.every((part) => evaluate(part, attributes));
    case 'or':
      return filter.any.some((part) => evaluate(part, attributes));
    case 'not':
      return !evaluate(filter.filter, attributes);
    case 'exists':
      return valuesOf(attributes, filter.key).length > 0;
    case 'in':
      return valuesOf(attributes, filter.key).some((value) =>
        filter.values.some((wanted) =>
          filter.exact === true ? typed(value).s === typed(wanted).s : compare(value, wanted) === 0,
        ),
      );
    case 'compare':
      return holds(valuesOf(attributes, filter.key), filter.operator, filter.operand);
  }
}

const valuesOf = (attributes: Attributes, key: string): readonly Scalar[] => {
  const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  return value === undefined ? [] : scalarsOf(value);
};

function holds(values: readonly Scalar[], operator: Operator, operand: Scalar): boolean {
  if (operator === '!=') return values.length > 0 && !values.some((value) => compare(value, operand) === 0);
  if (operator === '~') {
    const pattern = glob(typed(operand).s);
    return values.some((value) => pattern(typed(value).s));
  }
  return values.some((value) => {
    const order = compare(value, operand);
    switch (operator) {
      case '=':
        return order === 0;
      case '<':
        return order < 0;
      case '>':
        return order > 0;
      case '<=':
        return order <= 0;
      case '>=':
        return order >= 0;
    }
  });
}

function compare(left: Scalar, right: Scalar): number {
  const a = typed(left);
  const b = typed(right);
  if (a.n !== undefined && b.n !== undefined) return a.n - b.n;
  if (a.d !== undefined && b.d !== undefined) return a.d - b.d;
  return compareBytes(a.s, b.s);
}
