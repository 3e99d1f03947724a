import type { RetrievalOptions } from '../../schema/generated.js';
import { SluiceError } from '../domain/errors.js';
import type { Filter } from '../domain/filter/filter.js';
import type { VectorScope } from '../ports/vector-store/port.js';
import type { FilteredScope } from './lists.js';

export function parseWhere({ where, required_where: required }: RetrievalOptions): {
  readonly where?: Filter;
  readonly requiredWhere?: Filter;
} {
  if (where !== null || required !== null) throw new SluiceError('unsupported', 'filters are not there yet');
  return {};
}

export const filteredScopes = (scopes: readonly VectorScope[]): readonly FilteredScope[] =>
  scopes.map((scope) => ({ scope, filter: undefined }));
