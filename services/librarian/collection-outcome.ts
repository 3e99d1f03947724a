import { topics } from '../../schema/topics.js';
import type { Outcome, OutcomeState } from '../domain/documents/decision.js';
import type { CollectionKey } from '../ports/catalog/librarian-store.js';
import { output } from '../runtime/processor.js';
import { operationOutcome, type LibrarianOutput } from './outputs.js';

/** What follows from a collection-wide command. */
export interface Said {
  readonly outputs: readonly LibrarianOutput[];
  readonly outcomes: readonly Outcome[];
}

export const nothing: Said = { outputs: [], outcomes: [] };

export const collectionName = (key: CollectionKey): string => `${key.workspace}/${key.collection}`;

/** The outcome of an operation that is about a whole collection. */
export const collectionOutcome = (
  operation: string,
  state: OutcomeState,
  why: Partial<Pick<Outcome, 'code' | 'reason'>> = {},
): Outcome => ({
  ...{ operation, state, version: null, chunkCount: null, unchanged: state === 'unchanged', replaced: null },
  ...{ code: null, reason: null, ...why },
});

/** Outcomes with an event for each, for whoever waits. */
export const said = (key: CollectionKey, now: number, outcomes: readonly Outcome[]): Said => ({
  outcomes,
  outputs: outcomes.map((outcome) =>
    output(topics.documentEvents, {
      workspace: key.workspace,
      collection: key.collection,
      document_id: '',
      seq: 0,
      at: now,
      deleted: outcome.state === 'deleted',
      operation: operationOutcome(outcome),
    }),
  ),
});
