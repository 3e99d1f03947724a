import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../../services/domain/documents/command.js';
import type { Effect } from '../../../../services/domain/documents/decision.js';
import { holdsAllPacks, noPacks } from '../../../../services/domain/documents/pack-set.js';
import { inFlight, type DocumentState, type Version } from '../../../../services/domain/documents/state.js';
import { collection, submitOf, World } from './world.js';

type Action =
  | { readonly do: 'submit'; readonly content: string; readonly year: number; readonly force: boolean }
  | { readonly do: 'delete' | 'retry' | 'fail' | 'stall' | 'stall-late' }
  | { readonly do: 'purge' | 'deliver'; readonly pick: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      content: fc.constantFrom('', 'a', 'bb', 'ccc'),
      year: fc.constantFrom(1, 1, 1, 2),
      force: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('delete', 'retry', 'fail', 'stall', 'stall-late' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge' as const), pick: fc.nat() }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant('deliver' as const), pick: fc.nat() }) },
);

/** What the stages answer to an effect. A document of n letters has n packs. */
function answers(effect: Effect): Command[] {
  if (effect.kind === 'event' || effect.kind === 'drop-upload' || effect.kind === 'update-payload') return [];
  const { version } = effect.version;
  const packs = effect.version.contentHash.length;
  const indexed = (space: string, pack: number): Command => ({ kind: 'indexed', version, space, pack, revision: null });
  const everyPack = collection.spaces.flatMap((space) =>
    Array.from({ length: packs }, (_, pack) => indexed(space, pack)),
  );
  switch (effect.kind) {
    case 'decode':
      return [
        {
          kind: 'decoded',
          version,
          textSha256: `text of ${effect.version.contentHash}`,
          textBytes: packs,
          contentType: 'text/plain',
          title: null,
          attributes: { front: packs },
        },
        { kind: 'chunked', version, packs, chunks: packs * 64 },
        ...everyPack,
      ];
    case 'chunk':
      return [{ kind: 'chunked', version, packs, chunks: packs * 64 }, ...everyPack];
    case 'embed':
      return effect.packs.map((pack) => indexed(effect.space, pack));
    case 'purge':
      return [{ kind: 'purged', version }];
  }
}

const allowed: Readonly<Record<string, readonly string[]>> = {
  pending: ['processing', 'ready', 'failed', 'superseded', 'deleting'],
  processing: ['ready', 'failed', 'superseded', 'deleting'],
  failed: ['processing', 'ready', 'superseded', 'deleting'],
  ready: ['superseded', 'deleting'],
  superseded: ['deleting'],
  deleting: [],
};

function isComplete(version: Version): boolean {
  const { packs } = version;
  return (
    packs === version.contentHash.length &&
    collection.spaces.every((space) => holdsAllPacks(version.confirmed[space] ?? noPacks, packs))
  );
}

/** A document in the hands of stages that lose no message, but deliver them in any order and any number of times. */
class Run {
  readonly world = new World();
  /** Every message that was ever on its way; delivered ones stay, to come again. */
  readonly messages: { command: Command; delivered: boolean }[] = [];
  readonly everDead = new Set<number>();
  operations = 0;

  do(command: Command): void {
    const before = this.world.state;
    const { effects, state } = this.world.do(command);
    this.messages.push(...effects.flatMap(answers).map((answer) => ({ command: answer, delivered: false })));
    this.check(before, state);
    if (!['submit', 'delete', 'retry', 'stalled', 'submit-failed'].includes(command.kind)) {
      expect(this.world.do(command).state, 'a command that comes twice changes nothing').toBe(state);
    }
  }

  check(before: DocumentState, after: DocumentState): void {
    const ready = after.versions.filter((version) => version.state === 'ready');
    expect(ready.length).toBeLessThanOrEqual(1);
    expect(after.lastVersion).toBeGreaterThanOrEqual(before.lastVersion);
    expect(after.seq).toBeGreaterThanOrEqual(before.seq);
    const newest = after.versions.findLast((version) => version.state !== 'deleting');
    for (const version of after.versions) {
      const was = before.versions.find((each) => each.version === version.version);
      if (was === undefined) {
        expect(version.version, 'numbers go on').toBeGreaterThan(before.lastVersion);
      } else if (was.state !== version.state) {
        expect(allowed[was.state], `${was.state} → ${version.state}`).toContain(version.state);
      }
      if (version.state === 'ready') expect(isComplete(version)).toBe(true);
      if (inFlight(version) || version.state === 'failed') expect(version).toBe(newest);
      if (version.state === 'ready' && was?.state !== 'ready') {
        expect(version).toBe(newest);
        const old = before.versions.find((each) => each.state === 'ready');
        const replaced = after.versions.find((each) => each.version === old?.version);
        if (old !== undefined) {
          expect(replaced).toMatchObject({ state: 'superseded', supersededAt: version.liveSince });
        }
      }
    }
    for (const old of before.versions) {
      const gone = !after.versions.some((each) => each.version === old.version);
      if (gone) {
        expect(old.purgeBegun).toBe(true);
        this.everDead.add(old.version);
      }
    }
    for (const dead of this.everDead) expect(after.versions.some((each) => each.version === dead)).toBe(false);
  }

  act(action: Action): void {
    const { state } = this.world;
    const newest = state.versions.findLast((version) => version.state !== 'deleting');
    const operation = `op-${++this.operations}`;
    switch (action.do) {
      case 'submit':
        return this.do(submitOf(action.content, { operation, force: action.force, attributes: { year: action.year } }));
      case 'delete':
        return this.do({ kind: 'delete', operation, upTo: null });
      case 'retry':
        return this.do({ kind: 'retry', operation, version: null });
      case 'fail':
        return this.do({
          kind: 'failed',
          version: newest?.version ?? 1,
          stage: 'embedder',
          code: 'internal',
          reason: 'x',
        });
      case 'stall':
      case 'stall-late':
        return this.do({
          kind: 'stalled',
          version: newest?.version ?? 1,
          seq: action.do === 'stall' ? state.seq : Math.max(0, state.seq - 1),
        });
      case 'purge': {
        const version = state.versions[action.pick % Math.max(1, state.versions.length)];
        return version === undefined ? undefined : this.do({ kind: 'purge-due', version: version.version });
      }
      case 'deliver': {
        const message = this.messages[action.pick % Math.max(1, this.messages.length)];
        if (message === undefined) return;
        message.delivered = true;
        this.do(message.command);
      }
    }
  }

  /** Delivers what was not delivered, retries what failed, purges what is due, until nothing is left to do. */
  quiesce(): void {
    for (let round = 0; round < 20; round++) {
      for (const message of this.messages.filter((each) => !each.delivered)) {
        message.delivered = true;
        this.do(message.command);
      }
      for (const { version, state } of this.world.state.versions) {
        if (state === 'failed') this.do({ kind: 'retry', operation: `op-${++this.operations}`, version });
        if (state === 'superseded') this.do({ kind: 'purge-due', version });
      }
    }
  }
}

/** What the caller of these commands may expect to find in the end. */
function expected(actions: readonly Action[]): { content: string; year: number } | undefined {
  let document: { content: string; year: number } | undefined;
  for (const each of actions) {
    if (each.do === 'submit') document = { content: each.content, year: each.year };
    if (each.do === 'delete') document = undefined;
  }
  return document;
}

describe('one document, whatever comes in whatever order', () => {
  it('ends as its last command says, with one version and every operation ended', () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 40 }), (actions) => {
        const run = new Run();
        for (const each of actions) run.act(each);
        run.quiesce();
        const { state, outcomes } = run.world;
        const end = expected(actions);
        expect(state.versions.map((version) => version.state)).toEqual(end === undefined ? [] : ['ready']);
        if (end !== undefined) {
          expect(state.versions[0]).toMatchObject({
            contentHash: end.content,
            givenAttributes: { year: end.year },
            decodedAttributes: { front: end.content.length },
          });
        }
        for (const { operation, state: said } of outcomes) {
          if (said !== 'accepted') continue;
          const ends = outcomes.filter((other) => other.operation === operation && other.state !== 'accepted');
          expect(ends.length, `operation ${operation} ended once`).toBe(1);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('numbers its events so that a watcher who drops what it has seen misses nothing', () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 40 }), (actions) => {
        const run = new Run();
        for (const each of actions) run.act(each);
        const seqs = run.world.events().flatMap(({ seq }) => (seq === 0 ? [] : [seq]));
        expect(seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
