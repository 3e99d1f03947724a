import { defaultChunkerSpec } from '../../../../services/domain/chunker-spec.js';
import type { Command, Submit } from '../../../../services/domain/documents/command.js';
import type { Decision, Effect, Outcome, StatusEvent } from '../../../../services/domain/documents/decision.js';
import { decide } from '../../../../services/domain/documents/decide.js';
import {
  newDocument,
  type CollectionFacts,
  type DocumentState,
  type Version,
} from '../../../../services/domain/documents/state.js';

export const collection: CollectionFacts = {
  state: 'active',
  paused: false,
  chunkerSpec: defaultChunkerSpec,
  spaces: ['s'],
};

export const submitOf = (content: string, change: Partial<Submit> = {}): Submit => ({
  kind: 'submit',
  operation: `op-${content}`,
  uploadId: `upload-${content}`,
  contentHash: content,
  sizeBytes: content.length,
  title: null,
  source: null,
  contentType: null,
  attributes: {},
  tags: [],
  fileTime: null,
  flow: 'default',
  force: false,
  ...change,
});

/** One document and everything that was decided about it. */
export class World {
  state: DocumentState = newDocument({ workspace: 'w', collection: 'c', documentId: 'd' });
  now = 1_000;
  readonly effects: Effect[] = [];
  readonly outcomes: Outcome[] = [];

  collection: CollectionFacts | undefined;

  constructor(facts: CollectionFacts = collection) {
    this.collection = facts;
  }

  do(command: Command): Decision {
    const decision = decide(this.state, command, this.collection, ++this.now);
    this.state = decision.state;
    this.effects.push(...decision.effects);
    this.outcomes.push(...decision.outcomes);
    return decision;
  }

  /** Everything that the stages say of a version that goes through. */
  index(version: number, packs = 1): void {
    this.do({
      kind: 'decoded',
      version,
      textSha256: `text-${version}`,
      textBytes: 10,
      contentType: 'text/plain',
      title: null,
      attributes: {},
    });
    this.do({ kind: 'chunked', version, packs, chunks: packs * 64 });
    for (let pack = 0; pack < packs; pack++) {
      this.do({ kind: 'indexed', version, space: 's', pack, revision: null });
    }
  }

  submit(content: string, change: Partial<Submit> = {}): Decision {
    return this.do(submitOf(content, change));
  }

  version(number: number): Version | undefined {
    return this.state.versions.find((version) => version.version === number);
  }

  states(): Record<number, string> {
    return Object.fromEntries(this.state.versions.map((version) => [version.version, version.state]));
  }

  events(): StatusEvent[] {
    return this.effects.flatMap((effect) => (effect.kind === 'event' ? [effect.event] : []));
  }

  kinds(): string[] {
    return this.effects.map((effect) => effect.kind).filter((kind) => kind !== 'event');
  }
}
