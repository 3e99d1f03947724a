import { SluiceError } from '../../../domain/errors.js';
import type { Filter } from '../../../domain/filter/filter.js';
import type { PointSelector } from '../port.js';
import { equalityEntry, exactEntry, existenceEntry } from '../entries.js';

/** A SQL string literal; the only character with a meaning inside one is the quote. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const list = (texts: readonly string[]): string => `[${texts.map(literal).join(', ')}]`;
const has = (entry: string): string => `array_has(entries, ${literal(entry)})`;
const hasAny = (entries: readonly string[]): string => {
  const [only, second] = entries;
  if (only === undefined) return 'false';
  return second === undefined ? has(only) : `array_has_any(entries, ${list(entries)})`;
};

/**
 * A filter as a SQL predicate over the `entries` column. Throws unsupported for `~` and for order, which the caller
 * expands into membership first.
 */
export function predicateOf(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
      return filter.all.length === 0 ? 'true' : `(${filter.all.map(predicateOf).join(' AND ')})`;
    case 'or':
      return filter.any.length === 0 ? 'false' : `(${filter.any.map(predicateOf).join(' OR ')})`;
    case 'not':
      return `(NOT ${predicateOf(filter.filter)})`;
    case 'exists':
      return has(existenceEntry(filter.key));
    case 'in': {
      const entry = filter.exact === true ? exactEntry : equalityEntry;
      return hasAny([...new Set(filter.values.map((value) => entry(filter.key, value)))]);
    }
    case 'compare': {
      const equal = has(equalityEntry(filter.key, filter.operand));
      if (filter.operator === '=') return equal;
      if (filter.operator === '!=') return `(${has(existenceEntry(filter.key))} AND NOT ${equal})`;
      throw new SluiceError(
        'unsupported',
        `LanceDB does not compare ${JSON.stringify(filter.key)} with ${filter.operator}: expand the filter first`,
      );
    }
  }
}

/** Which points a selector means; undefined: all of them. */
export function selectorPredicate(selector: PointSelector): string | undefined {
  if ('all' in selector) return undefined;
  if ('versionHash' in selector) return `version_hash = ${literal(selector.versionHash)}`;
  if ('importId' in selector) return `import_id = ${literal(selector.importId)}`;
  return selector.pointIds.length === 0 ? 'false' : `point_id IN (${selector.pointIds.map(literal).join(', ')})`;
}
