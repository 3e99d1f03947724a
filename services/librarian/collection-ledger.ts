import { topics } from '../../schema/topics.js';
import type { CollectionFacts } from '../domain/documents/state.js';
import type {
  CollectionChange,
  CollectionDeletion,
  CollectionKey,
  Loaded,
  LockedCollection,
} from '../ports/catalog/librarian-store.js';
import { output } from '../runtime/processor.js';
import type { BatchItem } from './batch-item.js';
import { collectionName as name, collectionOutcome, nothing, said, type Said } from './collection-outcome.js';
import type { Conversions } from './conversions.js';
import type { LibrarianOutput } from './outputs.js';

interface Entry {
  readonly key: CollectionKey;
  readonly locked: LockedCollection;
  deletion: CollectionDeletion | null;
  versionsLeft: number;
  changed: boolean;
  removed: boolean;
}

/** The collections of a batch: what they allow, and how their deletion goes on. */
export class CollectionLedger {
  readonly #entries: Map<string, Entry>;
  readonly #loaded: Loaded;

  constructor(
    loaded: Loaded,
    private readonly conversions: Conversions,
  ) {
    this.#loaded = loaded;
    this.#entries = new Map(
      [...loaded.collections].map(([key, locked]) => [
        key,
        {
          key: { workspace: locked.record.workspace, collection: locked.record.id },
          locked,
          deletion: locked.deletion,
          versionsLeft: locked.versionsLeft ?? Number.POSITIVE_INFINITY,
          changed: false,
          removed: false,
        },
      ]),
    );
  }

  facts(key: CollectionKey): CollectionFacts | undefined {
    const entry = this.#entries.get(name(key));
    if (entry === undefined || entry.removed) return undefined;
    const { space, targetSpace, chunkerSpec, retiredSpaces } = this.conversions.state(key) ?? entry.locked.record;
    return {
      state: entry.deletion === null ? 'active' : 'deleting',
      paused: entry.locked.record.paused,
      chunkerSpec,
      spaces: targetSpace === null ? [space.id] : [space.id, targetSpace.id],
      retiredSpaces: retiredSpaces.map((retired) => retired.space.id),
    };
  }

  /** Why nothing can be done to a collection as a whole. */
  refusal(key: CollectionKey): { readonly code: string; readonly reason: string } | undefined {
    const facts = this.facts(key);
    const name = `collection "${key.collection}"`;
    if (facts === undefined) return { code: 'collection-not-found', reason: `${name} does not exist` };
    if (facts.state === 'deleting') return { code: 'collection-deleting', reason: `${name} is being deleted` };
    return undefined;
  }

  /**
   * One step of a collection's deletion: from now on nothing can be submitted; the documents of the next page are told
   * to go, as far as they are now, and the walk goes on behind them.
   */
  walk({ command, delivery }: BatchItem, cursor: string | null): Said {
    const { value, headers } = delivery;
    const entry = this.#entries.get(name(value));
    const operation = headers['message-id'];
    if (entry === undefined || entry.removed) {
      return cursor === null ? deleted(value, this.#loaded.now, [operation]) : nothing;
    }
    const page = this.#loaded.pages.get(command) ?? { documents: [], last: true };
    const operations = entry.deletion?.operations ?? [];
    entry.deletion = {
      // The steps that follow are the same deletion, not another one.
      operations: cursor === null ? [...operations, operation] : operations,
      walked: page.last || (entry.deletion?.walked ?? false),
    };
    entry.changed = true;
    const address = { workspace: value.workspace, collection: value.collection };
    const outputs: LibrarianOutput[] = page.documents.map(({ documentId, lastVersion }) =>
      output(topics.documentCommands, { kind: 'delete', ...address, document_id: documentId, version: lastVersion }),
    );
    const last = page.documents.at(-1);
    if (!page.last && last !== undefined) {
      outputs.push(output(topics.documentCommands, { kind: 'delete-collection', ...address, cursor: last.documentId }));
    }
    const ended = this.versionsRemoved(value, 0);
    return { outputs: [...outputs, ...ended.outputs], outcomes: ended.outcomes };
  }

  /** The last version of a collection that is being deleted takes the collection's row with it. */
  versionsRemoved(key: CollectionKey, count: number): Said {
    const entry = this.#entries.get(name(key));
    if (entry === undefined) return nothing;
    entry.versionsLeft -= count;
    if (entry.deletion?.walked !== true || entry.versionsLeft > 0 || entry.removed) return nothing;
    entry.removed = true;
    entry.changed = true;
    return deleted(key, this.#loaded.now, entry.deletion.operations);
  }

  changes(): CollectionChange[] {
    return [...this.#entries.values()].flatMap(({ key, changed, removed, deletion }): CollectionChange[] => {
      if (removed) return [{ ...key, change: 'remove' }];
      return changed && deletion !== null ? [{ ...key, change: 'delete', deletion }] : [];
    });
  }
}

const deleted = (key: CollectionKey, now: number, operations: readonly string[]): Said =>
  said(
    key,
    now,
    operations.map((operation) => collectionOutcome(operation, 'deleted')),
  );
