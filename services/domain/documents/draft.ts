import type { Decision, Effect, Outcome, OutcomeState, StatusEvent, VersionStatus } from './decision.js';
import { liveVersion, newestVersion, type DocumentState, type Version } from './state.js';

type Status = Pick<StatusEvent, 'deleted' | 'live' | 'newest'>;

const statusOf = (version: Version | undefined): VersionStatus | null =>
  version === undefined
    ? null
    : {
        version: version.version,
        versionHash: version.versionHash,
        state: version.state,
        contentHash: version.contentHash,
        chunks: version.chunks,
        stage: version.stage,
        code: version.code,
        reason: version.reason,
      };

function documentStatus(state: DocumentState): Status {
  const newest = statusOf(newestVersion(state));
  return { deleted: newest === null, live: statusOf(liveVersion(state)), newest };
}

/** A decision in the making: the state as it changes, and what follows from it. Local to one call of `decide`. */
export class Draft {
  readonly #before: DocumentState;
  readonly #effects: Effect[] = [];
  readonly #outcomes: Outcome[] = [];
  state: DocumentState;

  constructor(
    state: DocumentState,
    readonly now: number,
  ) {
    this.#before = state;
    this.state = state;
  }

  version(number: number): Version | undefined {
    return this.state.versions.find((version) => version.version === number);
  }

  /** Adds the next version. */
  append(version: Version): void {
    this.state = {
      ...this.state,
      lastVersion: version.version,
      versions: [...this.state.versions, version],
    };
  }

  /** Changes one version and notes the time; returns it as it is now. */
  change(version: Version, change: Partial<Version>): Version {
    const changed: Version = { ...version, ...change, updatedAt: Math.max(this.now, version.updatedAt) };
    this.state = {
      ...this.state,
      versions: this.state.versions.map((each) => (each.version === version.version ? changed : each)),
    };
    return changed;
  }

  remove(version: Version): void {
    this.state = {
      ...this.state,
      versions: this.state.versions.filter((each) => each.version !== version.version),
    };
  }

  effect(effect: Exclude<Effect, { readonly kind: 'event' }>): void {
    this.#effects.push(effect);
  }

  /** Says what became of an operation. */
  outcome(operation: string, state: OutcomeState, details: Partial<Omit<Outcome, 'operation' | 'state'>> = {}): void {
    this.#outcomes.push({
      operation,
      state,
      version: null,
      chunkCount: null,
      unchanged: false,
      replaced: null,
      code: null,
      reason: null,
      ...details,
    });
  }

  /** Says the same of every operation that ends with `version`; those are over, then. */
  endOperations(
    version: Version,
    state: OutcomeState,
    details: Partial<Omit<Outcome, 'operation' | 'state'>>,
  ): Version {
    for (const operation of version.operations) {
      this.outcome(operation, state, { version: version.version, chunkCount: version.chunks, ...details });
    }
    return version.operations.length === 0 ? version : this.change(version, { operations: [] });
  }

  /**
   * One event for each outcome, or one if only the status changed. Each has a seq of its own, so that a watcher who
   * drops what it has seen drops no outcome. A document that never was keeps its seq of 0: it has no row to raise it in.
   */
  finish(): Decision {
    const status = documentStatus(this.state);
    const changed = this.state !== this.#before;
    const news = this.#outcomes.length > 0 || (changed && !sameStatus(documentStatus(this.#before), status));
    if (!changed && !news) return { state: this.#before, effects: this.#effects, outcomes: [] };
    let seq = this.#before.seq;
    const raise = (): number => (this.state.lastVersion === 0 ? 0 : ++seq);
    const events: Effect[] = (news ? (this.#outcomes.length > 0 ? this.#outcomes : [null]) : []).map((operation) => ({
      kind: 'event',
      event: { seq: raise(), at: this.now, ...status, operation },
    }));
    if (events.length === 0) raise();
    return {
      state: { ...this.state, seq },
      effects: [...this.#effects, ...events],
      outcomes: this.#outcomes,
    };
  }
}

function sameStatus(a: Status, b: Status): boolean {
  return a.deleted === b.deleted && sameVersion(a.live, b.live) && sameVersion(a.newest, b.newest);
}

function sameVersion(a: VersionStatus | null, b: VersionStatus | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.version === b.version &&
    a.state === b.state &&
    a.chunks === b.chunks &&
    a.stage === b.stage &&
    a.code === b.code &&
    a.reason === b.reason
  );
}
