import type { Attributes } from '../../services/domain/attributes.js';
import type { Caller } from '../operations/context.js';

/** Whether the caller's mandatory filter lets something with these attributes through. */
export const visible = (caller: Caller, _attributes: Attributes): boolean => caller.requiredWhere === undefined;
