import { describe, expect, it } from 'vitest';
import { defaultChunkerSpec } from '../../../../services/domain/chunker-spec.js';
import {
  convert,
  type ConversionCommand,
  type ConversionDecision,
  type ConvertedState,
} from '../../../../services/domain/collections/convert.js';
import type { Remaining } from '../../../../services/domain/collections/conversion.js';

const space = { id: 's', model: 'm', dimensions: 3 };
const target = { id: 't', model: 'n', dimensions: 4 };
const spec = { ...defaultChunkerSpec, size: 100 };
const none: Remaining = { waiting: false, failed: false };

/** One collection and everything that was decided about it. */
class Collection {
  remaining: Remaining = { waiting: true, failed: false };
  now = 100;
  state: ConvertedState = {
    ...{ id: 'c', space, targetSpace: null, chunkerSpec: defaultChunkerSpec },
    ...{ conversion: null, retiredSpaces: [], spaceSince: null },
  };

  do(command: ConversionCommand): ConversionDecision {
    const decision = convert(this.state, command, this.remaining, ++this.now);
    this.state = decision.state;
    return decision;
  }

  reindex(operation = 'op', to = target): ConversionDecision {
    return this.do({ kind: 'reindex', operation, space: to });
  }

  walked(): void {
    const { conversion } = this.state;
    if (conversion !== null) this.state = { ...this.state, conversion: { ...conversion, walked: true } };
  }
}

describe('a reindex', () => {
  it('names its target and walks over the documents', () => {
    const collection = new Collection();
    expect(collection.reindex()).toMatchObject({ effects: [{ kind: 'walk', of: 'reindex' }], outcomes: [] });
    expect(collection.state).toMatchObject({ space, targetSpace: target });
  });

  it('flips only when all documents were walked over and none waits or failed', () => {
    const collection = new Collection();
    collection.reindex();
    collection.remaining = none;
    expect(collection.do({ kind: 'conclude' }).state.targetSpace).toEqual(target);
    collection.walked();
    for (const remaining of [
      { waiting: true, failed: false },
      { waiting: false, failed: true },
    ]) {
      collection.remaining = remaining;
      expect(collection.do({ kind: 'conclude' })).toMatchObject({ effects: [], outcomes: [] });
    }
    collection.remaining = none;
    expect(collection.do({ kind: 'conclude' })).toMatchObject({
      effects: [{ kind: 'walk-unsettled' }],
      outcomes: [{ operation: 'op', state: 'ready' }],
      state: { space: target, targetSpace: null, conversion: null, spaceSince: collection.now },
    });
    expect(collection.state.retiredSpaces).toEqual([
      { space, retiredAt: collection.now, wasRead: true, purgeBegun: false },
    ]);
  });

  it('ends without what failed when that is wanted, but not without what waits', () => {
    const collection = new Collection();
    collection.reindex();
    collection.walked();
    collection.remaining = { waiting: true, failed: true };
    expect(collection.do({ kind: 'reindex-skip-failed', operation: 'skip' }).outcomes).toEqual([]);
    collection.remaining = { waiting: false, failed: true };
    expect(collection.do({ kind: 'conclude' }).outcomes.map(({ operation }) => operation)).toEqual(['op', 'skip']);
  });

  it('that is aborted leaves the space that answered, and its target to be purged at once', () => {
    const collection = new Collection();
    collection.reindex();
    expect(collection.do({ kind: 'reindex-abort', operation: 'abort' }).outcomes).toMatchObject([
      { operation: 'op', state: 'stale' },
      { operation: 'abort', state: 'ready' },
    ]);
    expect(collection.state).toMatchObject({ space, targetSpace: null, retiredSpaces: [{ wasRead: false }] });
  });

  it('to a space that is still to be purged is refused until it is', () => {
    const collection = new Collection();
    collection.reindex();
    collection.do({ kind: 'reindex-abort', operation: 'abort' });
    expect(collection.reindex('again').outcomes).toMatchObject([{ state: 'refused', code: 'collection-busy' }]);
    expect(collection.do({ kind: 'space-purge-due', space: 't' }).effects).toEqual([
      { kind: 'purge-space', space: target },
    ]);
    collection.do({ kind: 'space-purged', space: 't' });
    expect(collection.reindex('at last').effects).toEqual([{ kind: 'walk', of: 'reindex' }]);
  });

  it('joins one to the same space, and is refused beside another', () => {
    const collection = new Collection();
    collection.reindex('one');
    expect(collection.reindex('two')).toMatchObject({ effects: [], outcomes: [] });
    expect(collection.reindex('three', { ...target, id: 'u' }).outcomes).toMatchObject([{ state: 'refused' }]);
    expect(collection.do({ kind: 'rechunk', operation: 'r', spec }).outcomes).toMatchObject([{ state: 'refused' }]);
    collection.walked();
    collection.remaining = none;
    expect(collection.do({ kind: 'conclude' }).outcomes).toHaveLength(2);
  });

  it('to its own space has nothing to do', () => {
    expect(new Collection().reindex('op', space).outcomes).toMatchObject([{ state: 'unchanged' }]);
  });
});

describe('a rechunk', () => {
  it('pins the other spec at once and ends when no document waits', () => {
    const collection = new Collection();
    expect(collection.do({ kind: 'rechunk', operation: 'op', spec }).effects).toEqual([
      { kind: 'walk', of: 'rechunk' },
    ]);
    expect(collection.state.chunkerSpec).toEqual(spec);
    collection.walked();
    collection.remaining = { waiting: false, failed: true };
    expect(collection.do({ kind: 'conclude' }).outcomes).toMatchObject([{ operation: 'op', state: 'failed' }]);
    expect(collection.state.conversion).toBeNull();
  });

  it('by the same spec has nothing to do, and of a read-only collection is refused', () => {
    const collection = new Collection();
    const again = collection.do({ kind: 'rechunk', operation: 'op', spec: defaultChunkerSpec });
    expect(again.outcomes).toMatchObject([{ state: 'unchanged' }]);
    collection.state = { ...collection.state, chunkerSpec: null };
    expect(collection.do({ kind: 'rechunk', operation: 'op', spec }).outcomes).toMatchObject([
      { state: 'refused', code: 'collection-read-only' },
    ]);
  });
});
