import { Value } from '@sinclair/typebox/value';
import { SluiceError } from '../../services/domain/errors.js';
import { attributesSchema } from '../api/documents.js';
import type { Attributes } from '../client/types.js';

/** Attributes as a query gives them: one JSON object. Throws invalid-argument. */
export function parseAttributesQuery(text: string): Attributes {
  try {
    const parsed: unknown = JSON.parse(text);
    if (Value.Check(attributesSchema, parsed)) return parsed;
  } catch {
    // told below
  }
  throw new SluiceError('invalid-argument', `attributes=${text} is no JSON object of values, such as {"year":2024}`);
}
