import type { DocumentCommand } from '../../schema/generated.js';
import type { ChunkerSpec } from '../domain/chunker-spec.js';
import type { ConversionCommand } from '../domain/collections/convert.js';
import type { EmbeddingSpace } from '../domain/embedding-space.js';
import { SluiceError } from '../domain/errors.js';
import type { ConversionWalk } from './conversion-outputs.js';

type ParsedConversion =
  | { readonly kind: 'conversion'; readonly command: ConversionCommand }
  | { readonly kind: 'conversion-walk'; readonly walk: ConversionWalk };

/**
 * A command about a whole collection's space or spec, or undefined if it is none. With a cursor it is a step over the
 * documents. Throws invalid-argument for one that is not whole.
 */
export function parseConversion(message: DocumentCommand, operation: string): ParsedConversion | undefined {
  const { kind, cursor } = message;
  switch (kind) {
    case 'reindex':
      if (cursor !== null) return { kind: 'conversion-walk', walk: { of: kind, cursor } };
      return { kind: 'conversion', command: { kind, operation, space: target(message, isSpace) } };
    case 'rechunk':
      if (cursor !== null) return { kind: 'conversion-walk', walk: { of: kind, cursor } };
      return { kind: 'conversion', command: { kind, operation, spec: target(message, isSpec) } };
    case 'settle-documents':
      return { kind: 'conversion-walk', walk: { of: 'unsettled', cursor: cursor ?? '' } };
    case 'reindex-skip-failed':
    case 'reindex-abort':
      return { kind: 'conversion', command: { kind, operation } };
    case 'conclude':
      return { kind: 'conversion', command: { kind } };
    case 'space-purge-due':
    case 'space-purged':
      return { kind: 'conversion', command: { kind, space: message.space ?? '' } };
    default:
      return undefined;
  }
}

function target<T>(message: DocumentCommand, is: (value: unknown) => value is T): T {
  let value: unknown;
  try {
    value = JSON.parse(message.target ?? '');
  } catch {
    // reported below, like anything else that is not one
  }
  if (is(value)) return value;
  throw new SluiceError('invalid-argument', `a ${message.kind} command of ${message.collection} names no target`);
}

const has = (value: unknown, types: Readonly<Record<string, string>>): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(types).every(([name, type]) => typeof Reflect.get(value, name) === type);

const isSpace = (value: unknown): value is EmbeddingSpace =>
  has(value, { id: 'string', model: 'string', dimensions: 'number' });

const isSpec = (value: unknown): value is ChunkerSpec =>
  has(value, {
    ...{ strategy: 'string', version: 'number', size: 'number', overlap: 'number', tokenizer: 'string' },
    contextPrefix: 'boolean',
  });
