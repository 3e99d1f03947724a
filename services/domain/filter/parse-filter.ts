import { SluiceError } from '../errors.js';
import { allOf, type Filter } from './filter.js';
import { parseClause } from './parse-clause.js';
import { parseJsonFilter } from './parse-json.js';

/**
 * Parses a `where`: JSON when it starts with `{`, else clauses joined by ` AND `. Throws invalid-argument, naming the
 * clause that is wrong.
 */
export function parseFilter(where: string): Filter {
  const text = where.trim();
  return text.startsWith('{') ? parseJsonFilter(text) : parseClauses(text.split(/\s+AND(?:\s+|$)/));
}

/** Clauses of which all must hold; throws invalid-argument when there is none. */
function parseClauses(clauses: readonly string[]): Filter {
  const filter = allOf(...clauses.map(parseClause));
  if (filter === undefined) throw new SluiceError('invalid-argument', 'the filter has no clause');
  return filter;
}
