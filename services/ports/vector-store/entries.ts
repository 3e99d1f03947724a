import type { Attributes } from '../../domain/attributes.js';
import type { Scalar } from '../../domain/filter/filter.js';
import { decimal, typed, typedValues } from '../../domain/filter/typed-values.js';

/**
 * Attributes as a store can look them up: one string per typed value, `s.key=value` and so on. The key's own `=` and `%`
 * are escaped, so that no two pairs of key and value have one entry.
 */
export const entriesOf = (attributes: Attributes): readonly string[] =>
  typedValues(attributes).map(([name, value]) => entry(name, value));

const entry = (name: string, value: Scalar): string =>
  `${name.replace(/[%=]/g, (mark) => (mark === '%' ? '%25' : '%3D'))}=${typeof value === 'number' ? decimal(value) : String(value)}`;

/** The entry of a point that has the key at all. */
export const existenceEntry = (key: string): string => entry(`e.${key}`, true);

/** The entry of a point that has this value: equal as a number, else as an instant, else as text. */
export function equalityEntry(key: string, operand: Scalar): string {
  const { s, n, d } = typed(operand);
  if (n !== undefined) return entry(`n.${key}`, n);
  return d === undefined ? entry(`s.${key}`, s) : entry(`d.${key}`, d);
}

/** The entry of a point that has exactly this text. */
export const exactEntry = (key: string, value: Scalar): string => entry(`s.${key}`, typed(value).s);
