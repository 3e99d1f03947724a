import { topics } from '../../schema/topics.js';
import { waiting } from '../domain/collections/conversion.js';
import { convert, type ConversionCommand, type ConvertedState } from '../domain/collections/convert.js';
import type { Outcome } from '../domain/documents/decision.js';
import { liveVersion, type DocumentState } from '../domain/documents/state.js';
import type { CollectionChange, CollectionKey, ConversionMark, Loaded } from '../ports/catalog/librarian-store.js';
import { output } from '../runtime/processor.js';
import type { BatchItem } from './batch-item.js';
import { collectionName, collectionOutcome, nothing, said, type Said } from './collection-outcome.js';
import { conversionOutputs, type ConversionWalk } from './conversion-outputs.js';
import type { LibrarianOutput } from './outputs.js';

interface Entry {
  readonly key: CollectionKey;
  state: ConvertedState;
  remaining: { waiting: boolean; failed: boolean };
  readonly marks: ConversionMark[];
  changed: boolean;
  concluding: boolean;
}

/** The collections of a batch that get another embedding space or chunker spec. */
export class Conversions {
  readonly #entries: Map<string, Entry>;

  constructor(private readonly loaded: Loaded) {
    this.#entries = new Map(
      [...loaded.collections].map(([name, { record, remaining }]) => [
        name,
        {
          key: { workspace: record.workspace, collection: record.id },
          state: record,
          remaining: { ...remaining },
          marks: [],
          changed: false,
          concluding: false,
        },
      ]),
    );
  }

  /** The collection as this batch has made it. */
  state(key: CollectionKey): ConvertedState | undefined {
    return this.#entries.get(collectionName(key))?.state;
  }

  /** What a collection-wide command does; `refusal` says why it must not. */
  apply(key: CollectionKey, command: ConversionCommand, refusal: Pick<Outcome, 'code' | 'reason'> | undefined): Said {
    const entry = this.#entries.get(collectionName(key));
    if (entry === undefined || refusal !== undefined) {
      if (!('operation' in command)) return nothing;
      return said(key, this.loaded.now, [collectionOutcome(command.operation, 'refused', refusal)]);
    }
    const decision = convert(entry.state, command, entry.remaining, this.loaded.now);
    entry.changed ||= decision.state !== entry.state;
    entry.state = decision.state;
    const outcomes = decision.outcomes.map(({ operation, state, ...why }) => collectionOutcome(operation, state, why));
    const follows = decision.effects.flatMap((effect) => conversionOutputs(key, effect));
    const told = said(key, this.loaded.now, outcomes);
    return { outcomes, outputs: [...follows, ...told.outputs] };
  }

  /** Ends what is being done to a collection that goes. */
  cancel(key: CollectionKey): Said {
    const entry = this.#entries.get(collectionName(key));
    const conversion = entry?.state.conversion;
    if (entry === undefined || conversion == null) return nothing;
    entry.state = { ...entry.state, conversion: null };
    entry.changed = true;
    const why = { code: 'collection-deleting', reason: `collection "${key.collection}" was deleted` };
    const outcomes = conversion.operations.map((operation) => collectionOutcome(operation, 'stale', why));
    return said(key, this.loaded.now, outcomes);
  }

  /**
   * One step over a collection's documents: the live versions of the next page are marked as behind, their work is
   * ordered, and the walk goes on behind them.
   */
  walk({ command, delivery: { value } }: BatchItem, { of }: ConversionWalk): Said {
    const entry = this.#entries.get(collectionName(value));
    if (entry === undefined) return nothing;
    const key = { workspace: value.workspace, collection: value.collection };
    const { conversion, targetSpace, chunkerSpec } = entry.state;
    if (of !== 'unsettled' && (conversion?.kind !== of || conversion.walked)) return nothing;
    const page = this.loaded.pages.get(command) ?? { documents: [], last: true };
    const ids = page.documents.map(({ documentId }) => documentId);
    if (of === 'reindex' && targetSpace !== null) entry.marks.push({ documentIds: ids, space: targetSpace.id });
    if (of === 'rechunk' && chunkerSpec !== null) entry.marks.push({ documentIds: ids, spec: chunkerSpec });
    const kind = of === 'rechunk' ? 'rechunk' : 'reindex';
    const outputs: LibrarianOutput[] = ids.map((id) =>
      output(topics.documentCommands, { kind, ...key, document_id: id }),
    );
    const last = ids.at(-1);
    if (!page.last && last !== undefined) {
      outputs.push(output(topics.documentCommands, { kind: value.kind, ...key, cursor: last }));
    } else if (of !== 'unsettled' && conversion !== null) {
      entry.state = { ...entry.state, conversion: { ...conversion, walked: true } };
      outputs.push(output(topics.documentCommands, { kind: 'conclude', ...key }));
    }
    if (of !== 'unsettled') {
      entry.changed = true;
      // Who is behind is known when this is written.
      entry.remaining.waiting = true;
    }
    return { outputs, outcomes: [] };
  }

  /** A document moved on: perhaps it was the last one that its collection waited for. */
  moved(before: DocumentState, after: DocumentState): readonly LibrarianOutput[] {
    const entry = this.#entries.get(collectionName(after.key));
    const was = liveVersion(before)?.behind ?? null;
    const is = liveVersion(after)?.behind ?? null;
    if (entry?.state.conversion == null || was?.state === is?.state) return [];
    if (is !== null) entry.remaining[is.state] = true;
    if (was?.state !== waiting.state || entry.concluding) return [];
    entry.concluding = true;
    return [output(topics.documentCommands, { kind: 'conclude', ...entry.key })];
  }

  changes(): CollectionChange[] {
    return [...this.#entries.values()].flatMap(({ key, state, marks, changed }): CollectionChange[] =>
      changed ? [{ ...key, change: 'convert', state, marks }] : [],
    );
  }
}
