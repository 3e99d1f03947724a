import { topics } from '../../schema/topics.js';
import { documentKeyString, versionHash } from '../../services/domain/identity.js';
import { blobKeys } from '../../services/ports/blob-store/keys.js';
import { writePack } from '../../services/ports/blob-store/packs.js';
import { output } from '../../services/runtime/processor.js';
import type { Command } from '../../services/domain/documents/command.js';
import { commit, submitOf } from '../contracts/catalog-fixture.js';
import type { TestBed } from './gateway-fixture.js';

/** Does what the pipeline does with submits and deletes, at once: each text becomes one chunk. */
export async function startStandInLibrarian(bed: TestBed): Promise<() => Promise<void>> {
  const { catalog, blobStore } = bed.ports;
  let working: Promise<void> = Promise.resolve();
  const stop = await bed.hear(topics.documentCommands, ({ value, headers }) => {
    working = working.then(async () => {
      const { workspace, collection, document_id: documentId } = value;
      const key = { workspace, collection, documentId };
      const operation = headers['message-id'] ?? '';
      if (value.kind === 'delete') {
        const last = (await catalog.document(key))?.lastVersion ?? 0;
        const purged = Array.from({ length: last }, (_, index): Command => ({ kind: 'purged', version: index + 1 }));
        await commit(catalog, [{ key, commands: [{ kind: 'delete', operation, upTo: null }, ...purged] }]);
      }
      if (value.kind === 'submit') {
        const text = await blobStore.get(blobKeys.source(workspace, value.upload_id ?? ''));
        if (text === undefined) throw new Error(`no upload of ${documentKeyString(key)}`);
        const version = ((await catalog.document(key))?.lastVersion ?? 0) + 1;
        const hash = versionHash(key, version);
        await blobStore.put(blobKeys.text(workspace, hash), text);
        const chunk = { seq: 0, start: 0, end: text.toString().length, text: text.toString(), headingPath: ['Top'] };
        await writePack(blobStore, workspace, hash, 0, { textSha256: 'x', chunks: [chunk] });
        const { contentType, ...found } = {
          contentType: 'text/plain',
          textSha256: 'x',
          textBytes: text.length,
          title: value.title,
        };
        const commands: Command[] = [
          submitOf(value.content_hash ?? '', {
            operation,
            uploadId: value.upload_id ?? '',
            sizeBytes: value.size_bytes ?? 0,
            title: value.title,
            source: value.source,
            attributes: JSON.parse(value.attributes ?? '{}') as Record<string, string>,
            tags: value.tags ?? [],
            fileTime: value.file_time,
          }),
          { kind: 'decoded', version, ...found, contentType, attributes: {} },
          { kind: 'chunked', version, packs: 1, chunks: 1 },
          { kind: 'indexed', version, space: 's', pack: 0, revision: 1 },
        ];
        await commit(catalog, [{ key, commands }]);
      }
      await tell(bed, key, operation);
    });
    working.catch((error: unknown) => {
      process.emitWarning(error instanceof Error ? error : String(error));
    });
  });
  return async () => {
    await stop();
    await working;
  };
}

type Key = { readonly workspace: string; readonly collection: string; readonly documentId: string };

async function tell(bed: TestBed, key: Key, operationId: string): Promise<void> {
  const document = await bed.ports.catalog.document(key);
  const operation = await bed.ports.catalog.operation(operationId);
  const newest = document?.newest;
  await bed.publisher.publish([
    output(topics.documentEvents, {
      workspace: key.workspace,
      collection: key.collection,
      document_id: key.documentId,
      seq: document?.seq ?? 1_000,
      at: Date.now(),
      deleted: document === undefined,
      newest: newest
        ? {
            version: newest.version,
            version_hash: newest.versionHash,
            state: newest.state,
            content_hash: newest.contentHash,
          }
        : null,
      operation: { operation_id: operationId, state: operation?.state ?? 'accepted' },
    }),
  ]);
}
