import type { Attributes } from '../attributes.js';
import { dateOf } from '../filter/typed-values.js';
import { dateInPath } from './date-in-path.js';

/** What is known of a document's age. */
export interface DateSources {
  readonly attributes: Attributes;
  /** The source's modification time. */
  readonly fileTime: Date | null;
  /** URI or path. */
  readonly source: string;
  readonly ingestedAt: Date;
}

const changedKeys = ['updated', 'updated_at', 'modified', 'last_modified', 'lastmod'];
const createdKeys = ['created', 'created_at', 'date', 'published', 'published_at'];

/**
 * When a document was last changed, as far as anyone says: its own word on its last change, else its file's time, else
 * a date in its path, else its own word on its creation, else when it came in.
 */
export function documentDate({ attributes, fileTime, source, ingestedAt }: DateSources): Date {
  return (
    attributeDate(attributes, changedKeys) ??
    fileTime ??
    dateInPath(source) ??
    attributeDate(attributes, createdKeys) ??
    ingestedAt
  );
}

function attributeDate(attributes: Attributes, keys: readonly string[]): Date | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
    const date = typeof value === 'string' ? dateOf(value.trim()) : undefined;
    if (date !== undefined) return new Date(date);
  }
  return undefined;
}
