import type { Attributes, AttributeValue } from '../attributes.js';
import type { Scalar } from './filter.js';

/** A scalar under every type that it parses as; `s` is always there. */
export interface TypedValue {
  readonly s: string;
  readonly n?: number;
  /** Epoch ms. */
  readonly d?: number;
  readonly b?: boolean;
}

const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const date = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/** The types of one value: "1500" is a string and a number, "2024-05-01" a string and a date (without a zone: UTC). */
export function typed(value: Scalar): TypedValue {
  if (typeof value === 'boolean') return { s: String(value), b: value };
  const s = typeof value === 'string' ? value : decimal(value);
  const n = typeof value === 'number' ? value : numberOf(value);
  if (n !== undefined) return { s, n: n === 0 ? 0 : n };
  const d = dateOf(s);
  return d === undefined ? { s } : { s, d };
}

/** `0` also for negative zero, so that equal numbers have one form. */
export const decimal = (value: number): string => String(value === 0 ? 0 : value);

function numberOf(text: string): number | undefined {
  if (!number.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** An RFC 3339 instant, a date and time without zone (UTC), or a date (its first moment in UTC), as epoch ms. */
export function dateOf(text: string): number | undefined {
  const match = date.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    match;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const instant = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${zone.toUpperCase()}`,
  );
  // Date.parse takes 30 February for 1 March.
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number.isNaN(instant) || Number(day) > daysInMonth ? undefined : instant;
}

/** The scalars of an attribute: a list's elements, or the value alone. */
export const scalarsOf = (value: AttributeValue): readonly Scalar[] => (typeof value === 'object' ? value : [value]);

/**
 * The entries that stand for attributes in a store: `e.key` says that the key has a value, `s.key`, `n.key`, `d.key` and
 * `b.key` hold each of its values under every type that it parses as. An empty list is no value.
 */
export function typedValues(
  attributes: Attributes,
): readonly (readonly [name: string, value: string | number | boolean])[] {
  const entries: (readonly [string, string | number | boolean])[] = [];
  for (const [key, value] of Object.entries(attributes)) {
    const scalars = scalarsOf(value);
    if (scalars.length > 0) entries.push([`e.${key}`, true]);
    for (const scalar of scalars) {
      for (const [type, as] of Object.entries(typed(scalar))) entries.push([`${type}.${key}`, as as Scalar]);
    }
  }
  return entries;
}
