import { defaultChunkerSpec } from '../../services/domain/chunker-spec.js';
import type { Command, Submit } from '../../services/domain/documents/command.js';
import type { Outcome } from '../../services/domain/documents/decision.js';
import { decide } from '../../services/domain/documents/decide.js';
import { newDocument } from '../../services/domain/documents/state.js';
import { documentKeyString, uuidOf, type DocumentKey } from '../../services/domain/identity.js';
import { defaultLexicalAnalysis } from '../../services/domain/lexical-analysis.js';
import type { LibrarianStore } from '../../services/ports/catalog/librarian-store.js';
import type { Catalog, NewCollection } from '../../services/ports/catalog/port.js';

export type FullCatalog = Catalog & LibrarianStore;

export const collectionOf = (id: string, change: Partial<NewCollection> = {}): NewCollection => ({
  workspace: 'acme',
  id,
  name: id,
  description: '',
  metadata: {},
  space: { id: 's', model: 'm', dimensions: 3 },
  chunkerSpec: defaultChunkerSpec,
  lexical: defaultLexicalAnalysis,
  ...change,
});

export const keyOf = (documentId: string, collection = 'handbook', workspace = 'acme'): DocumentKey => ({
  workspace,
  collection,
  documentId,
});

export const submitOf = (content: string, change: Partial<Submit> = {}): Submit => ({
  kind: 'submit',
  operation: `op-${content}`,
  uploadId: `upload-${content}`,
  contentHash: content,
  sizeBytes: Buffer.byteLength(content),
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

/** What the stages say of a version of one pack. */
export const indexedCommands = (version: number, packs = 1): Command[] => [
  {
    kind: 'decoded',
    version,
    textSha256: `text-${version}`,
    textBytes: 10,
    contentType: 'text/plain',
    title: 'Found',
    attributes: { front: true },
  },
  { kind: 'chunked', version, packs, chunks: packs * 64 },
  ...Array.from({ length: packs }, (_, pack): Command => ({ kind: 'indexed', version, space: 's', pack, revision: 2 })),
];

let commandCount = 0;

/** Does to each document what its commands say, in one transaction, as the librarian would. */
export async function commit(
  catalog: LibrarianStore,
  work: readonly { readonly key: DocumentKey; readonly commands: readonly Command[] }[],
): Promise<void> {
  const ids = work.map(() => uuidOf(`command ${commandCount++}`));
  await catalog.change(
    {
      documents: work.map((each) => each.key),
      collections: work.map(({ key }) => ({ workspace: key.workspace, collection: key.collection })),
      commands: ids,
      pages: [],
      countVersionsTo: 0,
      exclusive: false,
    },
    (loaded) => {
      const outcomes: (DocumentKey & { kind: string; outcome: Outcome })[] = [];
      const documents = work.map(({ key, commands }) => {
        const collection = loaded.collections.get(`${key.workspace}/${key.collection}`)?.record;
        const facts = collection && {
          state: collection.state,
          chunkerSpec: collection.chunkerSpec,
          paused: collection.paused,
          spaces: [collection.space.id],
        };
        let state = loaded.documents.get(documentKeyString(key)) ?? newDocument(key);
        for (const command of commands) {
          const decision = decide(state, command, facts, loaded.now);
          state = decision.state;
          outcomes.push(...decision.outcomes.map((outcome) => ({ ...key, kind: command.kind, outcome })));
        }
        return state;
      });
      return {
        documents: documents.filter((state) => state.lastVersion > 0),
        collections: [],
        outcomes,
        handled: ids.map((command) => ({ command, outputs: [] })),
        result: undefined,
      };
    },
  );
}
