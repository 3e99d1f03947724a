import { describe, expect, it } from 'vitest';
import { defaultChunkerSpec } from '../../../../services/domain/chunker-spec.js';
import { waiting } from '../../../../services/domain/collections/conversion.js';
import type { CollectionFacts } from '../../../../services/domain/documents/state.js';
import { collection, World } from './world.js';

const reindexed = { ...collection, spaces: ['s', 't'] };
const after = { ...collection, spaces: ['t'], retiredSpaces: ['s'] };
const spec = { ...defaultChunkerSpec, size: 100 };

const indexed = (version: number, space: string, pack = 0) =>
  ({ kind: 'indexed', version, space, pack, revision: null }) as const;

/** A document whose live version is behind, as the walk over its collection marks it. */
function behind(packs = 1, facts: CollectionFacts = reindexed): World {
  const world = new World();
  world.submit('a');
  world.index(1, packs);
  world.state = { ...world.state, versions: world.state.versions.map((each) => ({ ...each, behind: waiting })) };
  world.collection = facts;
  world.effects.splice(0);
  return world;
}

describe('a document of a collection that is reindexed', () => {
  it('is embedded in the target, as far as it is not there, and then no longer behind', () => {
    const world = behind(2);
    world.do({ kind: 'reindex' });
    expect(world.effects).toMatchObject([{ kind: 'embed', space: 't', packs: [0, 1] }]);
    world.do(indexed(1, 't', 1));
    world.do({ kind: 'reindex' });
    expect(world.effects[1]).toMatchObject({ kind: 'embed', space: 't', packs: [0] });
    expect(world.version(1)).toMatchObject({ state: 'ready', behind: waiting });
    world.do(indexed(1, 't', 0));
    expect(world.version(1)).toMatchObject({ state: 'ready', behind: null });
  });

  it('stays live when it fails there, says why, and is tried again on request', () => {
    const world = behind();
    const why = { stage: 'embedder', code: 'invalid-argument', reason: 'too odd' };
    world.do({ kind: 'failed', version: 1, space: 't', ...why });
    expect(world.version(1)).toMatchObject({ state: 'ready', behind: { state: 'failed', ...why } });
    world.do({ kind: 'retry', operation: 'again', version: null });
    expect(world.effects.at(-2)).toMatchObject({ kind: 'embed', space: 't', packs: [0] });
    expect(world.version(1)?.behind).toEqual(waiting);
    world.do(indexed(1, 't'));
    expect(world.outcomes.at(-1)).toMatchObject({ operation: 'again', state: 'ready' });
  });

  it('ends a retry when it is replaced or deleted meanwhile', () => {
    for (const [kind, state] of [
      ['submit', 'stale'],
      ['delete', 'stale'],
    ] as const) {
      const world = behind();
      world.do({ kind: 'failed', version: 1, space: 't', stage: null, code: null, reason: null });
      world.do({ kind: 'retry', operation: 'again', version: null });
      if (kind === 'delete') world.do({ kind: 'delete', operation: 'gone', upTo: null });
      else {
        world.submit('b');
        world.index(2);
        world.do(indexed(2, 't'));
        expect(world.states()).toEqual({ 1: 'superseded', 2: 'ready' });
      }
      expect(world.outcomes).toContainEqual(expect.objectContaining({ operation: 'again', state }));
    }
  });

  it('is driven again when silent, and called failed at last', () => {
    const world = behind();
    for (let times = 0; times < 4; times++) world.do({ kind: 'stalled', version: 1, seq: world.state.seq });
    expect(world.kinds()).toEqual(['embed', 'embed', 'embed']);
    expect(world.version(1)).toMatchObject({ state: 'ready', behind: { state: 'failed', code: 'stalled' } });
  });

  it('is ready in a new version only when confirmed in both spaces', () => {
    const world = new World(reindexed);
    world.submit('a');
    world.index(1);
    expect(world.version(1)?.state).toBe('processing');
    world.do(indexed(1, 't'));
    expect(world.version(1)?.state).toBe('ready');
  });

  it('has the target filled in when its chunker knew only the old space', () => {
    const world = new World(reindexed);
    world.submit('a');
    world.do({ kind: 'chunked', version: 1, packs: 2, chunks: 65, spaces: ['s'] });
    expect(world.effects).toContainEqual(expect.objectContaining({ kind: 'embed', space: 't', packs: [0, 1] }));
    expect(world.effects).not.toContainEqual(expect.objectContaining({ kind: 'embed', space: 's' }));
  });
});

describe('a document of a collection that was reindexed', () => {
  it('no longer waits for the old space', () => {
    const world = new World(reindexed);
    world.submit('a');
    world.do({ kind: 'decoded', version: 1, ...text });
    world.do({ kind: 'chunked', version: 1, packs: 1, chunks: 1, spaces: ['s', 't'] });
    world.do(indexed(1, 't'));
    world.collection = after;
    world.do({ kind: 'reindex' });
    expect(world.version(1)?.state).toBe('ready');
  });

  it('takes no confirmation of the old space, and forgets those it has', () => {
    const world = behind(1, after);
    world.do(indexed(1, 's', 5));
    world.do({ kind: 'failed', version: 1, space: 's', stage: null, code: null, reason: null });
    expect(world.version(1)?.behind).toEqual(waiting);
    world.do({ kind: 'reindex' });
    expect(Object.keys(world.version(1)?.confirmed ?? {})).toEqual([]);
  });

  it('is failed, not ready, when it was left out, and can be tried again', () => {
    const world = behind();
    world.do({ kind: 'failed', version: 1, space: 't', stage: 'embedder', code: 'internal', reason: 'no' });
    world.collection = after;
    world.do({ kind: 'reindex' });
    expect(world.version(1)).toMatchObject({ state: 'failed', stage: 'embedder', reason: 'no', behind: null });
    world.do({ kind: 'retry', operation: 'again', version: null });
    world.do(indexed(1, 't'));
    expect(world.version(1)?.state).toBe('ready');
  });

  it('is as it was when the reindex was aborted', () => {
    const world = behind(1, collection);
    world.do({ kind: 'reindex' });
    expect(world.version(1)).toMatchObject({ state: 'ready', behind: null });
  });
});

describe('a document that is cut anew', () => {
  const recut = { ...collection, chunkerSpec: spec };

  it('gets a next version of its text, beside the live one', () => {
    const world = behind(1, recut);
    world.do({ kind: 'rechunk' });
    expect(world.effects[0]).toMatchObject({ kind: 'decode', version: { version: 2, chunkerSpec: spec } });
    expect(world.effects[0]).toMatchObject({ textOf: world.version(1)?.versionHash });
    expect(world.states()).toEqual({ 1: 'ready', 2: 'pending' });
    world.index(2);
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'ready' });
  });

  it('twice is cut once', () => {
    const world = behind(1, recut);
    world.do({ kind: 'rechunk' });
    world.do({ kind: 'rechunk' });
    expect(world.state.lastVersion).toBe(2);
  });

  it('takes along those who wait for a version that is not ready', () => {
    const world = new World();
    world.submit('a');
    world.collection = recut;
    world.do({ kind: 'rechunk' });
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'pending' });
    world.index(2);
    expect(world.outcomes.filter(({ operation }) => operation === 'op-a').at(-1)).toMatchObject({
      state: 'ready',
      version: 2,
    });
  });

  it('keeps its chunks when that fails, until a retry', () => {
    const world = behind(1, recut);
    world.do({ kind: 'rechunk' });
    world.do({ kind: 'failed', version: 2, stage: 'chunker', code: 'internal', reason: 'no' });
    expect(world.version(1)).toMatchObject({ state: 'ready', behind: { state: 'failed', reason: 'no' } });
    world.do({ kind: 'retry', operation: 'again', version: null });
    expect(world.version(1)?.behind).toEqual(waiting);
    expect(world.effects).toContainEqual(expect.objectContaining({ kind: 'decode' }));
    world.index(2);
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'ready' });
  });
});

const text = { textSha256: 'x', textBytes: 1, contentType: null, title: null, attributes: {} };
