import { evaluate } from '../../services/domain/filter/evaluate.js';
import { filterableAttributes } from '../../services/domain/filter/filterable-attributes.js';
import type { VersionRecord } from '../../services/ports/catalog/port.js';
import type { Caller } from '../operations/context.js';

/** Whether the caller's mandatory filter lets a version through. */
export const visible = ({ required }: Caller, version: VersionRecord): boolean =>
  required === undefined || evaluate(required.filter, filterableAttributes(version));
