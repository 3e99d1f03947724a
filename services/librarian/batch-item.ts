import { topics } from '../../schema/topics.js';
import { uuidOf, versionHash, type DocumentKey } from '../domain/identity.js';
import type { Delivery } from '../runtime/processor.js';
import { parseCommand, type Parsed } from './parse-command.js';

/** One delivery of a batch on its way through. */
export interface BatchItem {
  readonly delivery: Delivery<typeof topics.documentCommands>;
  /** Under which it is remembered: two workspaces may use one message id. */
  readonly command: string;
  /** What is handled in order: the key of its topic. */
  readonly key: string;
  readonly parsed: Parsed | undefined;
  /** Why it cannot be handled. */
  error: unknown;
}

export function batchItem(delivery: Delivery<typeof topics.documentCommands>): BatchItem {
  const { value, headers } = delivery;
  const item = {
    delivery,
    command: uuidOf(`${value.workspace}\0${headers['message-id']}`),
    key: topics.documentCommands.key(value) ?? '',
  };
  try {
    return { ...item, parsed: parseCommand(value, headers['message-id']), error: undefined };
  } catch (error) {
    return { ...item, parsed: undefined, error };
  }
}

/** The document that an item is about; undefined for collection-wide and unreadable ones. */
export const documentOf = (item: BatchItem): DocumentKey | undefined =>
  item.parsed?.kind === 'document' ? item.parsed.key : undefined;

/** The hash of the version whose points an item says are gone. */
export function purgedVersion({ parsed }: BatchItem): string | undefined {
  if (parsed?.kind !== 'document' || parsed.command.kind !== 'purged') return undefined;
  return versionHash(parsed.key, parsed.command.version);
}
