import type { Schemas } from '@qdrant/js-client-rest';
import { SluiceError } from '../../../domain/errors.js';
import type { Filter } from '../../../domain/filter/filter.js';
import { equalityEntry, exactEntry, existenceEntry } from '../entries.js';
import type { PointSelector, VectorScope } from '../port.js';

type Condition = Schemas['Condition'];
/** A condition, or one that holds of every point or of none: Qdrant is not asked what an empty list means. */
export type Compiled = Condition | boolean;

const match = (key: string, value: string): Condition => ({ key, match: { value } });
const has = (entry: string): Condition => match('entries', entry);

/** The points of a scope, and of what else is asked. */
export const inScope = ({ workspace, collection }: VectorScope, ...more: Condition[]): { must: Condition[] } => ({
  must: [match('workspace', workspace), match('collection', collection), ...more],
});

/**
 * A filter over the `entries` of a point's payload. Throws unsupported for `~` and for order, which the caller expands
 * into membership first.
 */
export function conditionOf(filter: Filter): Compiled {
  switch (filter.kind) {
    case 'and': {
      const parts = filter.all.map(conditionOf);
      const must = parts.filter((part) => typeof part !== 'boolean');
      if (parts.includes(false)) return false;
      return must.length > 1 ? { must } : (must[0] ?? true);
    }
    case 'or': {
      const parts = filter.any.map(conditionOf);
      const should = parts.filter((part) => typeof part !== 'boolean');
      if (parts.includes(true)) return true;
      return should.length > 1 ? { should } : (should[0] ?? false);
    }
    case 'not': {
      const part = conditionOf(filter.filter);
      return typeof part === 'boolean' ? !part : { must_not: [part] };
    }
    case 'exists':
      return has(existenceEntry(filter.key));
    case 'in': {
      const entry = filter.exact === true ? exactEntry : equalityEntry;
      const any = [...new Set(filter.values.map((value) => entry(filter.key, value)))];
      return any.length === 0 ? false : { key: 'entries', match: { any } };
    }
    case 'compare': {
      const equal = has(equalityEntry(filter.key, filter.operand));
      if (filter.operator === '=') return equal;
      if (filter.operator === '!=') return { must: [has(existenceEntry(filter.key))], must_not: [equal] };
      throw new SluiceError(
        'unsupported',
        `Qdrant does not compare ${JSON.stringify(filter.key)} with ${filter.operator}: expand the filter first`,
      );
    }
  }
}

/** Which points of a scope a selector means. */
export function selectorCondition(selector: PointSelector): Condition[] {
  if ('all' in selector) return [];
  if ('versionHash' in selector) return [match('version_hash', selector.versionHash)];
  if ('importId' in selector) return [match('import_id', selector.importId)];
  return [{ has_id: [...selector.pointIds] }];
}
