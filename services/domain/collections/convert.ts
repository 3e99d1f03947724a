import { describeSpec, sameSpec, type ChunkerSpec } from '../chunker-spec.js';
import type { OutcomeState } from '../documents/decision.js';
import { describeSpace, sameSpace, type EmbeddingSpace } from '../embedding-space.js';
import type { Conversion, Remaining, RetiredSpace } from './conversion.js';

/** What conversions change of a collection. */
export interface ConvertedState {
  readonly id: string;
  readonly space: EmbeddingSpace;
  readonly targetSpace: EmbeddingSpace | null;
  readonly chunkerSpec: ChunkerSpec | null;
  readonly conversion: Conversion | null;
  readonly retiredSpaces: readonly RetiredSpace[];
  /** When `space` took over from another, epoch ms. */
  readonly spaceSince: number | null;
}

export type ConversionCommand =
  | { readonly kind: 'reindex'; readonly operation: string; readonly space: EmbeddingSpace }
  | { readonly kind: 'rechunk'; readonly operation: string; readonly spec: ChunkerSpec }
  | { readonly kind: 'reindex-skip-failed'; readonly operation: string }
  | { readonly kind: 'reindex-abort'; readonly operation: string }
  /** Something that held the conversion is gone. */
  | { readonly kind: 'conclude' }
  | { readonly kind: 'space-purge-due'; readonly space: string }
  /** No point of the space is left. */
  | { readonly kind: 'space-purged'; readonly space: string };

export interface ConversionOutcome {
  readonly operation: string;
  readonly state: OutcomeState;
  readonly code: string | null;
  readonly reason: string | null;
}

/** What must follow. */
export type ConversionEffect =
  /** Every document is to be marked and worked on. */
  | { readonly kind: 'walk'; readonly of: 'reindex' | 'rechunk' }
  /** Documents that were left behind, or waited for a space that is no longer wanted, are to be looked at again. */
  | { readonly kind: 'walk-unsettled' }
  | { readonly kind: 'purge-space'; readonly space: EmbeddingSpace };

export interface ConversionDecision {
  readonly state: ConvertedState;
  readonly effects: readonly ConversionEffect[];
  readonly outcomes: readonly ConversionOutcome[];
}

/**
 * What a command does to a collection's conversion. Pure; `remaining` says which live versions are behind, `now` is the
 * catalog's clock, both read while nobody else changes a document of the collection.
 */
export function convert(
  state: ConvertedState,
  command: ConversionCommand,
  remaining: Remaining,
  now: number,
): ConversionDecision {
  switch (command.kind) {
    case 'reindex':
      return reindex(state, command);
    case 'rechunk':
      return rechunk(state, command);
    case 'reindex-skip-failed':
      return skipFailed(state, command.operation, remaining, now);
    case 'reindex-abort':
      return abort(state, command.operation, now);
    case 'conclude':
      return conclude(state, remaining, now);
    case 'space-purge-due':
      return purgeSpace(state, command.space);
    case 'space-purged':
      return { ...still(state), state: { ...state, retiredSpaces: without(state.retiredSpaces, command.space) } };
  }
}

const still = (state: ConvertedState, ...outcomes: ConversionOutcome[]): ConversionDecision => ({
  ...{ state, effects: [], outcomes },
});

const ended = (
  operation: string,
  outcome: OutcomeState,
  code: string | null = null,
  reason: string | null = null,
): ConversionOutcome => ({ operation, state: outcome, code, reason });

const busy = (state: ConvertedState, operation: string, what: string): ConversionDecision =>
  still(state, ended(operation, 'refused', 'collection-busy', `collection "${state.id}" ${what}`));

function reindex(
  state: ConvertedState,
  { operation, space }: Extract<ConversionCommand, { kind: 'reindex' }>,
): ConversionDecision {
  const { conversion, targetSpace } = state;
  if (conversion?.kind === 'reindex' && targetSpace !== null && sameSpace(targetSpace, space)) {
    return joined(state, conversion, operation);
  }
  if (conversion !== null) return busy(state, operation, inProgress(state));
  if (sameSpace(state.space, space)) return still(state, ended(operation, 'unchanged'));
  if (state.retiredSpaces.some((retired) => sameSpace(retired.space, space))) {
    return busy(state, operation, `still holds old vectors of ${describeSpace(space)}: try again when they are purged`);
  }
  return {
    state: { ...state, targetSpace: space, conversion: begun('reindex', operation) },
    effects: [{ kind: 'walk', of: 'reindex' }],
    outcomes: [],
  };
}

function rechunk(
  state: ConvertedState,
  { operation, spec }: Extract<ConversionCommand, { kind: 'rechunk' }>,
): ConversionDecision {
  const { conversion, chunkerSpec } = state;
  if (chunkerSpec === null) {
    const reason = `collection "${state.id}" is read-only: it has no texts to cut`;
    return still(state, ended(operation, 'refused', 'collection-read-only', reason));
  }
  const same = sameSpec(chunkerSpec, spec);
  if (conversion?.kind === 'rechunk' && same) return joined(state, conversion, operation);
  if (conversion !== null) return busy(state, operation, inProgress(state));
  if (same) return still(state, ended(operation, 'unchanged'));
  return {
    state: { ...state, chunkerSpec: spec, conversion: begun('rechunk', operation) },
    effects: [{ kind: 'walk', of: 'rechunk' }],
    outcomes: [],
  };
}

const begun = (kind: Conversion['kind'], operation: string): Conversion => ({
  ...{ kind, operations: [operation], walked: false, skipFailed: false },
});

const joined = (state: ConvertedState, conversion: Conversion, operation: string): ConversionDecision =>
  still({ ...state, conversion: { ...conversion, operations: [...conversion.operations, operation] } });

function inProgress({ conversion, targetSpace, chunkerSpec }: ConvertedState): string {
  if (conversion?.kind === 'reindex' && targetSpace !== null) {
    return `is being reindexed with ${describeSpace(targetSpace)}: wait for that, or abort it`;
  }
  return `is being cut anew by ${chunkerSpec === null ? '' : describeSpec(chunkerSpec)}: wait for that`;
}

function skipFailed(state: ConvertedState, operation: string, remaining: Remaining, now: number): ConversionDecision {
  const { conversion } = state;
  if (conversion?.kind !== 'reindex') return notReindexing(state, operation);
  const operations = [...conversion.operations, operation];
  return conclude({ ...state, conversion: { ...conversion, skipFailed: true, operations } }, remaining, now);
}

function abort(state: ConvertedState, operation: string, now: number): ConversionDecision {
  const { conversion, targetSpace } = state;
  if (conversion?.kind !== 'reindex' || targetSpace === null) return notReindexing(state, operation);
  const retired = { space: targetSpace, retiredAt: now, wasRead: false, purgeBegun: false };
  return {
    state: {
      ...state,
      ...{ targetSpace: null, conversion: null, retiredSpaces: [...state.retiredSpaces, retired] },
    },
    effects: [{ kind: 'walk-unsettled' }],
    outcomes: [
      ...conversion.operations.map((each) => ended(each, 'stale', 'stale', 'the reindex was aborted')),
      ended(operation, 'ready'),
    ],
  };
}

const notReindexing = (state: ConvertedState, operation: string): ConversionDecision =>
  still(state, ended(operation, 'stale', 'stale', `collection "${state.id}" is not being reindexed`));

/** The flip: the target takes over, in one step for all documents. A rechunk ends when nobody waits any more. */
function conclude(state: ConvertedState, remaining: Remaining, now: number): ConversionDecision {
  const { conversion, targetSpace } = state;
  if (conversion?.walked !== true || remaining.waiting) return still(state);
  if (conversion.kind === 'rechunk') {
    const reason = 'some documents could not be cut anew and keep their chunks: see why they failed and retry them';
    const outcome = (operation: string): ConversionOutcome =>
      remaining.failed ? ended(operation, 'failed', 'spec-mismatch', reason) : ended(operation, 'ready');
    return {
      state: { ...state, conversion: null },
      effects: [{ kind: 'walk-unsettled' }],
      outcomes: conversion.operations.map(outcome),
    };
  }
  if (targetSpace === null || (remaining.failed && !conversion.skipFailed)) return still(state);
  const retired = { space: state.space, retiredAt: now, wasRead: true, purgeBegun: false };
  return {
    state: {
      ...state,
      ...{ space: targetSpace, targetSpace: null, conversion: null, spaceSince: now },
      retiredSpaces: [...state.retiredSpaces, retired],
    },
    effects: [{ kind: 'walk-unsettled' }],
    outcomes: conversion.operations.map((operation) => ended(operation, 'ready')),
  };
}

function purgeSpace(state: ConvertedState, id: string): ConversionDecision {
  const found = state.retiredSpaces.find(({ space }) => space.id === id);
  if (found === undefined) return still(state);
  const retiredSpaces = state.retiredSpaces.map((each) => (each === found ? { ...each, purgeBegun: true } : each));
  return { state: { ...state, retiredSpaces }, effects: [{ kind: 'purge-space', space: found.space }], outcomes: [] };
}

const without = (retired: readonly RetiredSpace[], id: string): readonly RetiredSpace[] =>
  retired.filter(({ space }) => space.id !== id);
