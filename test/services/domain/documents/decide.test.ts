import { describe, expect, it } from 'vitest';
import { collection, submitOf, World } from './world.js';

const readyWorld = (): World => {
  const world = new World();
  world.submit('a');
  world.index(1);
  return world;
};

describe('a submit', () => {
  it('of a new document makes version 1 and asks for decoding', () => {
    const world = new World();
    const { effects } = world.submit('a');
    expect(world.states()).toEqual({ 1: 'pending' });
    expect(effects[0]).toMatchObject({ kind: 'decode', version: { version: 1, uploadId: 'upload-a' } });
    expect(world.events()).toMatchObject([
      {
        seq: 1,
        live: null,
        newest: { version: 1, state: 'pending' },
        operation: { operation: 'op-a', state: 'accepted' },
      },
    ]);
  });

  it('of the same content and metadata as the ready newest changes nothing and drops the upload', () => {
    const world = readyWorld();
    const { effects, outcomes } = world.submit('a', { operation: 'again', uploadId: 'upload-2' });
    expect(outcomes).toMatchObject([
      { operation: 'again', state: 'unchanged', unchanged: true, version: 1, chunkCount: 64 },
    ]);
    expect(effects.map((effect) => effect.kind)).toEqual(['drop-upload', 'event']);
    expect(world.states()).toEqual({ 1: 'ready' });
  });

  it('of the same content with other metadata updates that version and embeds nothing', () => {
    const world = readyWorld();
    const { effects, outcomes } = world.submit('a', { operation: 'again', attributes: { year: 3 }, tags: ['x'] });
    expect(outcomes).toMatchObject([{ state: 'ready', unchanged: false, version: 1 }]);
    expect(effects.map((effect) => effect.kind)).toEqual(['drop-upload', 'update-payload', 'event']);
    expect(world.version(1)).toMatchObject({ attributeRevision: 2, givenAttributes: { year: 3 }, tags: ['x'] });
  });

  it('of a file that was only touched is unchanged', () => {
    const world = readyWorld();
    expect(world.submit('a', { fileTime: 99 }).outcomes).toMatchObject([{ state: 'unchanged' }]);
    expect(world.version(1)?.fileTime).toBe(99);
  });

  it('of the content that is in flight waits for that version', () => {
    const world = new World();
    world.submit('a');
    const { effects, outcomes } = world.submit('a', { operation: 'second' });
    expect(outcomes).toMatchObject([{ operation: 'second', state: 'accepted', version: 1 }]);
    expect(effects.some((effect) => effect.kind === 'decode')).toBe(false);
    world.index(1);
    expect(world.outcomes.slice(-2)).toMatchObject([
      { operation: 'op-a', state: 'ready', version: 1 },
      { operation: 'second', state: 'ready', version: 1 },
    ]);
  });

  it('of the content that failed is a retry of it', () => {
    const world = new World();
    world.submit('a');
    world.do({ kind: 'failed', version: 1, stage: 'decoder', code: 'invalid-document', reason: 'no' });
    expect(world.outcomes.at(-1)).toMatchObject({ state: 'failed', code: 'invalid-document', reason: 'no' });
    const { effects } = world.submit('a', { operation: 'second' });
    expect(effects.map((effect) => effect.kind)).toEqual(['drop-upload', 'decode', 'event']);
    expect(world.states()).toEqual({ 1: 'processing' });
    world.index(1);
    expect(world.outcomes.at(-1)).toMatchObject({ operation: 'second', state: 'ready' });
  });

  it('of other content leaves the live version answering until the new one is ready, then swaps at one instant', () => {
    const world = readyWorld();
    world.submit('b');
    expect(world.states()).toEqual({ 1: 'ready', 2: 'pending' });
    world.index(2);
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'ready' });
    expect(world.version(1)?.supersededAt).toBe(world.version(2)?.liveSince);
    expect(world.outcomes.at(-1)).toMatchObject({ operation: 'op-b', state: 'ready', version: 2, replaced: 1 });
  });

  it('of other content supersedes what is in flight or failed at once', () => {
    const world = new World();
    world.submit('a');
    world.submit('b');
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'pending' });
    expect(world.outcomes.slice(-2)).toMatchObject([
      { operation: 'op-a', state: 'stale', code: 'ingest-interrupted', version: 1 },
      { operation: 'op-b', state: 'accepted', version: 2 },
    ]);
    world.do({ kind: 'failed', version: 2, stage: null, code: null, reason: null });
    world.submit('c');
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'superseded', 3: 'pending' });
    world.index(1);
    world.index(2);
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'superseded', 3: 'pending' });
  });

  it('compares with the newest version, not with the live one', () => {
    const world = readyWorld();
    world.submit('b');
    world.submit('a', { operation: 'back' });
    expect(world.states()).toEqual({ 1: 'ready', 2: 'superseded', 3: 'pending' });
  });

  it('that is emptied is ready with no chunks and swaps the old version out', () => {
    const world = readyWorld();
    world.submit('');
    world.index(2, 0);
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'ready' });
    expect(world.outcomes.at(-1)).toMatchObject({ state: 'ready', chunkCount: 0, replaced: 1 });
  });

  it('with force makes a new version of unchanged content', () => {
    const world = readyWorld();
    world.submit('a', { force: true });
    expect(world.states()).toEqual({ 1: 'ready', 2: 'pending' });
  });

  it('of another content type is another version, of the type that the decoder found is not', () => {
    const world = readyWorld();
    expect(world.submit('a', { contentType: 'text/plain' }).outcomes).toMatchObject([{ state: 'unchanged' }]);
    world.submit('a', { contentType: 'text/markdown' });
    expect(world.states()).toEqual({ 1: 'ready', 2: 'pending' });
  });

  it.each([
    ['collection-not-found', undefined],
    ['collection-deleting', { ...collection, state: 'deleting' as const }],
    ['collection-read-only', { ...collection, chunkerSpec: null }],
  ])('is refused with %s', (code, facts) => {
    const world = new World();
    world.collection = facts;
    const { outcomes, effects } = world.submit('a');
    expect(outcomes).toMatchObject([{ operation: 'op-a', state: 'refused', code }]);
    expect(effects).toContainEqual({ kind: 'drop-upload', uploadId: 'upload-a' });
    expect(world.state).toMatchObject({ lastVersion: 0, versions: [] });
  });
});

describe('readiness', () => {
  it('does not depend on whether packs are confirmed before their number is known', () => {
    const world = new World();
    world.submit('a');
    world.do({ kind: 'indexed', version: 1, space: 's', pack: 1, revision: null });
    world.do({ kind: 'indexed', version: 1, space: 's', pack: 1, revision: null });
    world.do({ kind: 'chunked', version: 1, packs: 2, chunks: 70 });
    expect(world.states()).toEqual({ 1: 'processing' });
    world.do({ kind: 'indexed', version: 1, space: 's', pack: 0, revision: null });
    expect(world.states()).toEqual({ 1: 'ready' });
  });

  it('waits for every space that the collection wants', () => {
    const world = new World({ ...collection, spaces: ['s', 't'] });
    world.submit('a');
    world.index(1);
    expect(world.states()).toEqual({ 1: 'processing' });
    world.do({ kind: 'indexed', version: 1, space: 't', pack: 0, revision: null });
    expect(world.states()).toEqual({ 1: 'ready' });
  });

  it('comes to a failed version whose packs are confirmed after all, if it is still the newest', () => {
    const world = readyWorld();
    world.submit('b');
    world.do({ kind: 'failed', version: 2, stage: 'embedder', code: 'invalid-response', reason: 'x' });
    expect(world.states()).toEqual({ 1: 'ready', 2: 'failed' });
    world.index(2);
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'ready' });
    expect(world.version(2)).toMatchObject({ stage: null, code: null, reason: null });
  });

  it('takes the text’s facts even when they are told last', () => {
    const world = new World();
    world.submit('a', { attributes: { owner: 'me' } });
    world.do({ kind: 'chunked', version: 1, packs: 0, chunks: 0 });
    expect(world.states()).toEqual({ 1: 'ready' });
    const { effects } = world.do({
      kind: 'decoded',
      version: 1,
      textSha256: 't',
      textBytes: 1,
      contentType: 'text/markdown',
      title: 'T',
      attributes: { owner: 'you', year: 1 },
    });
    expect(world.version(1)).toMatchObject({ state: 'ready', textSha256: 't', attributeRevision: 2 });
    expect(effects).toMatchObject([{ kind: 'update-payload' }]);
  });

  it('updates points only if they were written under older attributes', () => {
    const decoded = (world: World): void =>
      void world.do({
        kind: 'decoded',
        version: 1,
        textSha256: 't',
        textBytes: 1,
        contentType: null,
        title: null,
        attributes: { a: 1 },
      });
    const fresh = new World();
    fresh.submit('a');
    decoded(fresh);
    fresh.do({ kind: 'chunked', version: 1, packs: 1, chunks: 1 });
    fresh.do({ kind: 'indexed', version: 1, space: 's', pack: 0, revision: 2 });
    expect(fresh.kinds()).toEqual(['decode']);

    const late = new World();
    late.submit('a');
    late.do({ kind: 'indexed', version: 1, space: 's', pack: 0, revision: 1 });
    decoded(late);
    late.do({ kind: 'chunked', version: 1, packs: 1, chunks: 1 });
    expect(late.kinds()).toEqual(['decode', 'update-payload']);
  });
});

describe('a delete', () => {
  it('stops reads at once, purges, and ends when everything is purged', () => {
    const world = readyWorld();
    const { effects, outcomes } = world.do({ kind: 'delete', operation: 'del', upTo: null });
    expect(world.states()).toEqual({ 1: 'deleting' });
    expect(effects.map((effect) => effect.kind)).toEqual(['purge', 'event']);
    expect(outcomes).toEqual([]);
    expect(world.events().at(-1)).toMatchObject({ deleted: true, live: null, newest: null });
    world.do({ kind: 'purged', version: 1 });
    expect(world.outcomes.at(-1)).toMatchObject({ operation: 'del', state: 'deleted' });
    expect(world.state).toMatchObject({ lastVersion: 1, versions: [] });
  });

  it('does not touch what is submitted after it, even with equal bytes', () => {
    const world = readyWorld();
    world.do({ kind: 'delete', operation: 'del', upTo: null });
    world.submit('a', { operation: 'again' });
    expect(world.states()).toEqual({ 1: 'deleting', 2: 'pending' });
    world.index(2);
    world.do({ kind: 'purged', version: 1 });
    expect(world.states()).toEqual({ 2: 'ready' });
    world.do({ kind: 'delete', operation: 'old', upTo: 1 });
    expect(world.states()).toEqual({ 2: 'ready' });
  });

  it('of nothing is no error', () => {
    const world = new World();
    expect(world.do({ kind: 'delete', operation: 'del', upTo: null }).outcomes).toMatchObject([{ state: 'deleted' }]);
    expect(world.state.seq).toBe(0);
  });

  it('interrupts what is in flight', () => {
    const world = new World();
    world.submit('a');
    world.do({ kind: 'delete', operation: 'del', upTo: null });
    expect(world.outcomes.at(-1)).toMatchObject({ operation: 'op-a', state: 'stale', code: 'ingest-interrupted' });
    world.index(1);
    expect(world.states()).toEqual({ 1: 'deleting' });
  });
});

describe('recovery', () => {
  it('drives a silent version again from its last durable stage, three times, then fails it', () => {
    const world = new World();
    world.submit('a');
    const stalled = (): string[] => {
      const { effects } = world.do({ kind: 'stalled', version: 1, seq: world.state.seq });
      return effects.filter((effect) => effect.kind !== 'event').map((effect) => effect.kind);
    };
    expect(stalled()).toEqual(['decode']);
    world.do({
      kind: 'decoded',
      version: 1,
      textSha256: 't',
      textBytes: 1,
      contentType: null,
      title: null,
      attributes: {},
    });
    expect(stalled()).toEqual(['chunk']);
    world.do({ kind: 'chunked', version: 1, packs: 3, chunks: 150 });
    world.do({ kind: 'indexed', version: 1, space: 's', pack: 1, revision: null });
    const { effects } = world.do({ kind: 'stalled', version: 1, seq: world.state.seq });
    expect(effects).toMatchObject([{ kind: 'embed', space: 's', packs: [0, 2] }]);
    expect(stalled()).toEqual([]);
    expect(world.outcomes.at(-1)).toMatchObject({ operation: 'op-a', state: 'failed', code: 'stalled' });
    expect(world.version(1)).toMatchObject({ state: 'failed', stage: 'embedder' });
  });

  it('leaves a version alone of which something was heard since', () => {
    const world = new World();
    world.submit('a');
    const { seq } = world.state;
    world.do({ kind: 'chunked', version: 1, packs: 3, chunks: 150 });
    expect(world.do({ kind: 'stalled', version: 1, seq }).effects).toEqual([]);
    expect(world.version(1)?.redrives).toBe(0);
  });

  it('retries the newest version if it failed, and calls anything else stale', () => {
    const world = readyWorld();
    world.submit('b');
    world.do({ kind: 'failed', version: 2, stage: 'embedder', code: 'internal', reason: 'x' });
    expect(world.do({ kind: 'retry', operation: 'r1', version: 1 }).outcomes).toMatchObject([{ state: 'stale' }]);
    world.do({ kind: 'retry', operation: 'r2', version: 2 });
    expect(world.states()).toEqual({ 1: 'ready', 2: 'processing' });
    expect(world.do({ kind: 'retry', operation: 'r3', version: 2 }).outcomes).toMatchObject([{ state: 'stale' }]);
    world.index(2);
    expect(world.outcomes.at(-1)).toMatchObject({ operation: 'r2', state: 'ready', replaced: 1 });
  });

  it('purges a superseded version once it is due, and only then takes its row', () => {
    const world = readyWorld();
    world.submit('b');
    world.index(2);
    world.do({ kind: 'purged', version: 1 });
    expect(world.states()).toEqual({ 1: 'superseded', 2: 'ready' });
    expect(world.do({ kind: 'purge-due', version: 2 }).effects).toEqual([]);
    expect(world.do({ kind: 'purge-due', version: 1 }).effects).toMatchObject([{ kind: 'purge' }]);
    world.do({ kind: 'purged', version: 1 });
    expect(world.states()).toEqual({ 2: 'ready' });
  });
});

describe('events', () => {
  it('carry the whole status and a seq of their own each', () => {
    const world = readyWorld();
    world.submit('a', { operation: 'again' });
    world.do({ kind: 'delete', operation: 'del', upTo: null });
    const seqs = world.events().map((event) => event.seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(world.events().map((event) => event.newest?.state ?? 'none')).toEqual([
      'pending',
      'processing',
      'processing',
      'ready',
      'ready',
      'none',
    ]);
  });

  it('are not sent for a confirmation that changes no state', () => {
    const world = new World();
    world.submit('a');
    world.do({ kind: 'chunked', version: 1, packs: 2, chunks: 70 });
    const { effects } = world.do({ kind: 'indexed', version: 1, space: 's', pack: 0, revision: null });
    expect(effects).toEqual([]);
  });
});

it('a submit whose version is another’s operation is never left without an outcome', () => {
  const world = new World();
  world.do(submitOf('a'));
  world.do({ kind: 'submit-failed', operation: 'broken', uploadId: 'u', code: 'internal', reason: 'bug' });
  expect(world.outcomes.at(-1)).toMatchObject({ operation: 'broken', state: 'failed', code: 'internal' });
});
