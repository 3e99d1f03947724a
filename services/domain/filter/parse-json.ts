import { SluiceError } from '../errors.js';
import type { Filter, Operator, Scalar } from './filter.js';
import { parseClause } from './parse-clause.js';

const comparisons: ReadonlySet<string> = new Set(['=', '!=', '<=', '>=', '<', '>', '~'] satisfies Operator[]);
const isComparison = (name: string): name is Operator => comparisons.has(name);
const maxDepth = 32;

/**
 * The JSON form: `{"and": […]}`, `{"or": […]}`, `{"not": …}`, `{"exists": "key"}`, `{"in": {"key": [values]}}` and
 * `{"<operator>": {"key": value}}`, with clause strings allowed wherever a condition stands. Numbers and booleans keep
 * their types. Throws invalid-argument, naming the part that is wrong.
 */
export function parseJsonFilter(text: string): Filter {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new SluiceError('invalid-argument', `the filter is not JSON: ${(error as Error).message}`);
  }
  return condition(json, 0);
}

function condition(json: unknown, depth: number): Filter {
  if (typeof json === 'string') return parseClause(json);
  if (depth > maxDepth) return refuse(json, `is nested more than ${maxDepth} deep`);
  if (!isObject(json)) return refuse(json, 'is not a condition: give an object or a clause such as "year>=2020"');
  const [entry, second] = Object.entries(json);
  if (entry === undefined || second !== undefined) return refuse(json, 'must have one key, its operator');
  const [operator, operand] = entry;
  const parts = (): readonly Filter[] =>
    Array.isArray(operand) && operand.length > 0
      ? operand.map((part) => condition(part, depth + 1))
      : refuse(json, `needs a list of at least one condition after "${operator}"`);
  switch (operator) {
    case 'and':
      return { kind: 'and', all: parts() };
    case 'or':
      return { kind: 'or', any: parts() };
    case 'not':
      return { kind: 'not', filter: condition(operand, depth + 1) };
    case 'exists':
      if (typeof operand !== 'string' || operand === '') return refuse(json, 'needs a key after "exists"');
      return { kind: 'exists', key: operand };
    case 'in':
      return membership(json, operand);
    default:
      if (isComparison(operator)) return comparison(json, operator, operand);
      return refuse(json, `has the unknown operator ${JSON.stringify(operator)}`);
  }
}

function membership(json: unknown, operand: unknown): Filter {
  const [key, values] = keyed(json, operand);
  if (!Array.isArray(values) || values.length === 0 || !values.every(isScalar)) {
    return refuse(json, 'needs a list of at least one string, number or boolean');
  }
  return { kind: 'in', key, values };
}

function comparison(json: unknown, operator: Operator, operand: unknown): Filter {
  const [key, value] = keyed(json, operand);
  if (!isScalar(value)) return refuse(json, 'compares with something that is no string, number or boolean');
  if (value === '') return refuse(json, `has no value after ${operator}`);
  return { kind: 'compare', key, operator, operand: value };
}

function keyed(json: unknown, operand: unknown): readonly [string, unknown] {
  const [entry, second] = isObject(operand) ? Object.entries(operand) : [];
  if (entry === undefined || second !== undefined || entry[0] === '') {
    return refuse(json, 'needs an object with one key, the attribute');
  }
  return entry;
}

const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

const isScalar = (json: unknown): json is Scalar =>
  typeof json === 'string' || typeof json === 'boolean' || (typeof json === 'number' && Number.isFinite(json));

function refuse(json: unknown, problem: string): never {
  throw new SluiceError('invalid-argument', `filter clause ${JSON.stringify(json)} ${problem}`);
}
