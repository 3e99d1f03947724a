import type { OutputTo } from '../runtime/processor.js';
import { output } from '../runtime/processor.js';
import { topicNamed, topics } from '../../schema/topics.js';
import type { Effect, Outcome, StatusEvent, VersionStatus } from '../domain/documents/decision.js';
import type { Version } from '../domain/documents/state.js';
import type { DocumentKey } from '../domain/identity.js';
import type { StoredOutput } from '../ports/catalog/librarian-store.js';

export const outputTopics = [
  topics.documentsAccepted,
  topics.documentsDecoded,
  topics.chunksCreated,
  topics.payloadUpdates,
  topics.purges,
  topics.documentEvents,
  topics.documentCommands,
] as const;

export type LibrarianOutput = OutputTo<(typeof outputTopics)[number]>;

/** The messages that an effect becomes. Uploads are dropped by the librarian itself. */
export function outputsOf(key: DocumentKey, effect: Effect, spaces: readonly string[]): LibrarianOutput[] {
  if (effect.kind === 'drop-upload') return [];
  if (effect.kind === 'event') return [output(topics.documentEvents, eventMessage(key, effect.event))];
  const { version } = effect;
  const address = addressOf(key, version);
  switch (effect.kind) {
    case 'decode':
      return [
        output(topics.documentsAccepted, {
          ...address,
          upload_id: version.uploadId,
          text_of: effect.textOf,
          content_type: version.givenType,
          source: version.source,
        }),
      ];
    case 'chunk':
      return [
        output(topics.documentsDecoded, {
          ...address,
          text_sha256: version.textSha256 ?? '',
          text_bytes: version.textBytes ?? 0,
          content_type: version.decodedType ?? version.givenType ?? '',
        }),
      ];
    case 'embed':
      return effect.packs.map((pack) =>
        output(topics.chunksCreated, {
          ...address,
          pack,
          space: effect.space,
          text_sha256: version.textSha256 ?? '',
        }),
      );
    case 'update-payload':
      return [output(topics.payloadUpdates, { ...address, revision: version.attributeRevision })];
    case 'purge':
      return [
        output(topics.purges, {
          ...address,
          spaces: [...new Set([...spaces, ...Object.keys(version.confirmed)])],
        }),
      ];
  }
}

const addressOf = (key: DocumentKey, version: Version) => ({
  workspace: key.workspace,
  collection: key.collection,
  document_id: key.documentId,
  version: version.version,
  version_hash: version.versionHash,
});

export const operationOutcome = (outcome: Outcome) => ({
  operation_id: outcome.operation,
  state: outcome.state,
  version: outcome.version,
  chunk_count: outcome.chunkCount,
  unchanged: outcome.unchanged,
  replaced: outcome.replaced,
  code: outcome.code,
  reason: outcome.reason,
});

const versionStatus = (status: VersionStatus | null) =>
  status === null
    ? null
    : {
        version: status.version,
        version_hash: status.versionHash,
        state: status.state,
        content_hash: status.contentHash,
        chunks: status.chunks,
        stage: status.stage,
        code: status.code,
        reason: status.reason,
      };

const eventMessage = (key: DocumentKey, event: StatusEvent) => ({
  workspace: key.workspace,
  collection: key.collection,
  document_id: key.documentId,
  seq: event.seq,
  at: event.at,
  deleted: event.deleted,
  live: versionStatus(event.live),
  newest: versionStatus(event.newest),
  operation: event.operation === null ? null : operationOutcome(event.operation),
});

/** As they are kept beside their command, and as they come back when it is delivered again. */
export const storeOutputs = (outputs: readonly LibrarianOutput[]): StoredOutput[] =>
  outputs.map(({ topic, value }) => ({ topic: topic.name, value }));

export const restoreOutputs = (stored: readonly StoredOutput[]): LibrarianOutput[] =>
  stored.flatMap(({ topic: name, value }) => {
    const topic = topicNamed(name);
    // What is stored was written by storeOutputs: topic and value belong together.
    const restored: unknown = { topic, value };
    return topic === undefined ? [] : [restored as LibrarianOutput];
  });
