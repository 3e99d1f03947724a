import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defaultChunkerSpec, type ChunkerSpec } from '../../../services/domain/chunker-spec.js';
import { blobKeys } from '../../../services/ports/blob-store/keys.js';
import { createFilesystemBlobStore } from '../../../services/ports/blob-store/filesystem/filesystem.js';
import type { BlobStore } from '../../../services/ports/blob-store/port.js';
import type { Catalog, VersionRecord } from '../../../services/ports/catalog/port.js';
import { decodeDocument } from '../../../services/decoder/decode-document.js';

export const workspace = 'acme';
export const hash = 'ab'.repeat(32);
const uploadId = 'upload-1';

export const versionRecord = (change: Partial<VersionRecord> = {}): VersionRecord => ({
  ...{ workspace, collection: 'handbook', documentId: 'guide', version: 1, versionHash: hash },
  ...{ state: 'pending', purgeBegun: false, uploadId, contentHash: 'c', sizeBytes: 1, contentType: null },
  ...{ title: null, source: null, tags: [], attributes: {}, attributeRevision: 0, fileTime: null, flow: 'default' },
  ...{ textSha256: null, textBytes: null, packs: null, chunks: null, chunkerSpec: defaultChunkerSpec },
  ...{
    lexical: { version: 1, language: 'english' },
    spaces: [{ id: 's1', model: 'm', dimensions: 3 }],
    retiredSpaces: [],
  },
  ...{ stage: null, code: null, reason: null, createdAt: new Date(0), updatedAt: new Date(0) },
  ...{ liveSince: null, supersededAt: null },
  ...change,
});

/** A real blob store, and at the catalog's port the states that the version is in, one read after the other. */
export interface Stage {
  readonly blobStore: BlobStore;
  readonly ports: { readonly blobStore: BlobStore; readonly catalog: Pick<Catalog, 'versions'> };
  /** The version at the next reads, the last one from then on. */
  states: (VersionRecord | undefined)[];
  upload(bytes: Buffer | string): Promise<void>;
  keys(prefix: string): Promise<string[]>;
  text(): Promise<string | undefined>;
  close(): Promise<void>;
}

export async function createStage(): Promise<Stage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-text-'));
  const blobStore = await createFilesystemBlobStore({ folder });
  const versions: Catalog['versions'] = (hashes) => {
    const state = stage.states.length > 1 ? stage.states.shift() : stage.states[0];
    return Promise.resolve(new Map(state === undefined || !hashes.includes(hash) ? [] : [[hash, state]]));
  };
  const stage: Stage = {
    blobStore,
    ports: { blobStore, catalog: { versions } },
    states: [versionRecord()],
    upload: (bytes) => blobStore.put(blobKeys.source(workspace, uploadId), Buffer.from(bytes)),
    async keys(prefix) {
      const keys: string[] = [];
      for await (const { key } of blobStore.list(prefix)) keys.push(key);
      return keys;
    },
    text: async () => (await blobStore.get(blobKeys.text(workspace, hash)))?.toString(),
    async close() {
      await blobStore.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return stage;
}

export const acceptedMessage = {
  ...{ workspace, collection: 'handbook', document_id: 'guide', version: 1, version_hash: hash },
  ...{ upload_id: uploadId, content_type: 'text/markdown', source: null, text_of: null },
};

const decoderDefaults = { concurrency: 4, segmentTimeoutMs: 20_000, maxWholeBytes: 1 << 24 };

/** Runs the decoder's handler on the stage's upload. */
export const decodeOn = (stage: Stage, change: Partial<typeof acceptedMessage> = {}) =>
  decodeDocument(
    { ...acceptedMessage, ...change },
    { ports: stage.ports, config: decoderDefaults, signal: new AbortController().signal },
  );

export const withSpec = (chunkerSpec: ChunkerSpec): VersionRecord => versionRecord({ chunkerSpec });
