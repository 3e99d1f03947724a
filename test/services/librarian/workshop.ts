import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { pino } from 'pino';
import type { DocumentCommand, NewDocumentCommand } from '../../../schema/generated.js';
import { topics } from '../../../schema/topics.js';
import { contentHash, derivedMessageId, versionHash, type DocumentKey } from '../../../services/domain/identity.js';
import { librarian } from '../../../services/librarian/librarian.js';
import type { LibrarianOutput } from '../../../services/librarian/outputs.js';
import { createFilesystemBlobStore } from '../../../services/ports/blob-store/filesystem/filesystem.js';
import { blobKeys } from '../../../services/ports/blob-store/keys.js';
import type { BlobStore } from '../../../services/ports/blob-store/port.js';
import { createPgliteCatalog } from '../../../services/ports/catalog/pglite/pglite-catalog.js';
import type {
  CollectionRecord,
  DocumentRecord,
  NewCollection,
  OperationRecord,
} from '../../../services/ports/catalog/port.js';
import type { Delivery } from '../../../services/runtime/processor.js';
import { collectionOf, type FullCatalog } from '../../contracts/catalog-fixture.js';

export type CommandDelivery = Delivery<typeof topics.documentCommands>;

const blank: DocumentCommand = {
  kind: '',
  workspace: '',
  collection: '',
  document_id: '',
  version: null,
  version_hash: null,
  upload_id: null,
  content_hash: null,
  size_bytes: null,
  title: null,
  source: null,
  content_type: null,
  attributes: null,
  tags: null,
  file_time: null,
  flow: null,
  force: false,
  text_sha256: null,
  text_bytes: null,
  packs: null,
  chunks: null,
  space: null,
  pack: null,
  stage: null,
  code: null,
  reason: null,
  seq: null,
  revision: null,
  cursor: null,
  operation_id: null,
  spaces: null,
  target: null,
  windowed: null,
};

export const message = (command: NewDocumentCommand, id: string = randomUUID()): CommandDelivery => ({
  value: { ...blank, ...command },
  headers: { 'message-id': id },
  partition: 0,
  offset: 0n,
  timestamp: 0,
  attempt: 1,
});

export interface Stores {
  /** Of the blobs. */
  readonly folder: string;
  readonly catalog: FullCatalog;
  readonly blobStore: BlobStore;
  close(): Promise<void>;
}

export async function openStores(): Promise<Stores> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-librarian-'));
  const catalog = await createPgliteCatalog({ folder: join(folder, 'catalog') });
  const blobStore = await createFilesystemBlobStore({ folder: join(folder, 'blobs') });
  return {
    folder: join(folder, 'blobs'),
    catalog,
    blobStore,
    async close() {
      await catalog.close();
      await blobStore.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The librarian with a real catalog and a real blob store; the other stages are played by `answers`, which writes the
 * blobs that they would write and says what they would say.
 */
export class Workshop {
  /** Every command that the librarian was ever given. */
  readonly log: CommandDelivery[] = [];
  readonly outputs: LibrarianOutput[] = [];
  /** Version hashes whose points stand in the vector store that is not there. */
  readonly points = new Set<string>();

  private constructor(
    readonly stores: Stores,
    readonly workspace: string,
  ) {}

  /** A workspace of its own with an empty collection "handbook". */
  static async open(stores: Stores): Promise<Workshop> {
    const workshop = new Workshop(stores, `acme-${randomUUID()}`);
    await workshop.createCollection('handbook');
    return workshop;
  }

  get catalog(): FullCatalog {
    return this.stores.catalog;
  }

  get blobStore(): BlobStore {
    return this.stores.blobStore;
  }

  createCollection(id: string, change: Partial<NewCollection> = {}): Promise<CollectionRecord> {
    return this.catalog.createCollection(collectionOf(id, { workspace: this.workspace, ...change }));
  }

  key(documentId: string, collection = 'handbook', workspace = this.workspace): DocumentKey {
    return { workspace, collection, documentId };
  }

  /** A command to this workspace's handbook. */
  command(command: Partial<NewDocumentCommand> & { readonly kind: string }, id?: string): CommandDelivery {
    return message({ workspace: this.workspace, collection: 'handbook', ...command }, id);
  }

  document(documentId: string): Promise<DocumentRecord | undefined> {
    return this.catalog.document(this.key(documentId));
  }

  operation(of: CommandDelivery): Promise<OperationRecord | undefined> {
    return this.catalog.operation(of.headers['message-id']);
  }

  /** Uploads a content and makes its submit. */
  async submit(
    documentId: string,
    content: string,
    change: Partial<NewDocumentCommand> = {},
  ): Promise<CommandDelivery> {
    const uploadId = randomUUID();
    await this.blobStore.put(blobKeys.source(change.workspace ?? this.workspace, uploadId), Buffer.from(content));
    return this.command({
      kind: 'submit',
      document_id: documentId,
      upload_id: uploadId,
      content_hash: contentHash(Buffer.from(content)),
      size_bytes: Buffer.byteLength(content),
      ...change,
    });
  }

  /** One batch through the declared handler. */
  async batch(deliveries: readonly CommandDelivery[]): Promise<Awaited<ReturnType<typeof librarian.handleBatch>>> {
    this.log.push(...deliveries);
    const outcomes = await librarian.handleBatch(deliveries, {
      config: Value.Create(librarian.config),
      ports: { catalog: this.catalog, librarianStore: this.catalog, blobStore: this.blobStore },
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
    });
    for (const outcome of outcomes)
      if (outcome !== 'held' && 'outputs' in outcome) this.outputs.push(...outcome.outputs);
    return outcomes;
  }

  /** Handles the deliveries and what the other stages answer, until nothing is left. Fails on any error. */
  async run(deliveries: readonly CommandDelivery[]): Promise<void> {
    let waiting = deliveries;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, 256);
      const outcomes = await this.batch(batch);
      const answers = outcomes.map(async (outcome, index) => {
        if (outcome === 'held') throw new Error('held, although nothing failed');
        if ('error' in outcome) throw outcome.error;
        const inputId = batch[index]?.headers['message-id'] ?? '';
        const said = outcome.outputs.map((output, number) => this.answers(output, derivedMessageId(inputId, number)));
        return (await Promise.all(said)).flat();
      });
      waiting = [...waiting.slice(256), ...(await Promise.all(answers)).flat()];
    }
  }

  /** What the stages behind a topic say in the end. The same message makes the same answers. */
  async answers({ topic, value }: LibrarianOutput, id: string): Promise<CommandDelivery[]> {
    if (topic.name === topics.documentCommands.name) return [message(value as NewDocumentCommand, id)];
    if (!('version_hash' in value) || !('document_id' in value)) return [];
    const { workspace, collection, document_id, version, version_hash } = value as DocumentCommand & {
      version_hash: string;
    };
    const say = (command: Partial<NewDocumentCommand> & { kind: string }, index: number): CommandDelivery =>
      message({ workspace, collection, document_id, version, version_hash, ...command }, derivedMessageId(id, index));
    const indexed = (pack: number, index: number): CommandDelivery => {
      this.points.add(version_hash);
      return say({ kind: 'indexed', space: 's', pack }, index);
    };
    if (topic.name === topics.purges.name) {
      this.points.delete(version_hash);
      return [say({ kind: 'purged' }, 0)];
    }
    if (topic.name === topics.chunksCreated.name) return [indexed(Number((value as { pack?: number }).pack), 0)];
    if (topic.name !== topics.documentsAccepted.name && topic.name !== topics.documentsDecoded.name) return [];
    const record = (await this.catalog.versions([version_hash])).get(version_hash);
    if (record === undefined || record.state === 'superseded' || record.state === 'deleting') return [];
    const source = await this.blobStore.get(blobKeys.source(workspace, record.uploadId));
    if (source === undefined) throw new Error(`the source of ${document_id} is gone although the version lives`);
    await this.blobStore.put(blobKeys.text(workspace, version_hash), source);
    await this.blobStore.put(blobKeys.blocks(workspace, version_hash), source);
    if (source.length > 0) await this.blobStore.put(blobKeys.pack(workspace, version_hash, 0), source);
    const packs = source.length > 0 ? 1 : 0;
    return [
      say(
        { kind: 'decoded', text_sha256: contentHash(source), text_bytes: source.length, content_type: 'text/plain' },
        0,
      ),
      say({ kind: 'chunked', packs, chunks: packs }, 1),
      ...(packs > 0 ? [indexed(0, 2)] : []),
    ];
  }

  async blobs(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.blobStore.list(`${this.workspace}/`)) keys.push(key);
    return keys;
  }

  /** The blobs that belong to one version, and nothing else. */
  blobsOf(key: DocumentKey, version: number, uploadId: string): string[] {
    const hash = versionHash(key, version);
    return [
      blobKeys.source(key.workspace, uploadId),
      blobKeys.text(key.workspace, hash),
      blobKeys.blocks(key.workspace, hash),
      blobKeys.pack(key.workspace, hash, 0),
    ].sort();
  }
}
