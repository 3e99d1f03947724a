import { topics } from '../../schema/topics.js';
import type { Bus } from '../ports/bus/port.js';
import type { DrainPass, LibrarianStore } from '../ports/catalog/librarian-store.js';

type Offsets = Pick<Bus, 'endOffsets' | 'committed'>;

/** Along these topics a document's work goes; each is read by the group beside it. */
export const drainRoute = [
  { topic: topics.documentCommands.name, group: 'librarian' },
  { topic: topics.documentsAccepted.name, group: 'decoder' },
  { topic: topics.documentsDecoded.name, group: 'chunker' },
  { topic: topics.chunksCreated.name, group: 'embedder' },
  { topic: topics.chunksEmbedded.name, group: 'vector-writer' },
  { topic: topics.documentCommands.name, group: 'librarian' },
] as const;

/** The place at which a pass waits: the group has not yet read up to `end`. */
export interface Held {
  readonly topic: string;
  readonly group: string;
  readonly partition: number;
  readonly committed: bigint;
  readonly end: bigint;
  readonly since: Date;
}

export interface Drained {
  /** When the last pass that has ended began: what was silent before that is in no queue. Null: none has ended yet. */
  readonly startedAt: Date | null;
  readonly held: Held | null;
}

/**
 * Moves the pass on as far as it goes, together with whoever else moves it. A pass notes one topic's end offsets and
 * goes on when its group has committed them, so when it has ended, everything that was on its way at its start has been
 * handled. A group that never ran holds it; an empty partition does not.
 */
export async function advanceDrainPass(bus: Offsets, store: LibrarianStore): Promise<Drained> {
  let pass = await store.drainPass();
  if (pass === undefined || pass.ended)
    pass = (await store.moveDrainPass(pass, { move: 'start' })) ?? (await store.drainPass());
  // Somebody else may move it meanwhile; each move is theirs or ours, so this ends.
  for (let moves = 0; pass !== undefined && !pass.ended && moves < 4 * drainRoute.length; moves++) {
    const step = drainRoute[pass.step];
    if (step === undefined) break;
    if (pass.ends === null) {
      const ends = (await bus.endOffsets(step.topic)).map(String);
      pass = (await store.moveDrainPass(pass, { move: 'note', ends })) ?? (await store.drainPass());
      continue;
    }
    const held = await heldAt(bus, pass, step);
    if (held !== null) return { startedAt: pass.lastStartedAt, held };
    const move = pass.step + 1 < drainRoute.length ? 'next' : 'end';
    pass = (await store.moveDrainPass(pass, { move })) ?? (await store.drainPass());
  }
  return { startedAt: pass?.lastStartedAt ?? null, held: null };
}

async function heldAt(bus: Offsets, pass: DrainPass, step: (typeof drainRoute)[number]): Promise<Held | null> {
  const committed = await bus.committed(step.group, step.topic);
  for (const [partition, text] of (pass.ends ?? []).entries()) {
    const end = BigInt(text);
    const reached = committed[partition] ?? 0n;
    if (reached < end) return { ...step, partition, committed: reached, end, since: pass.stepStartedAt };
  }
  return null;
}
