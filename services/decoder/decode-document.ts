import type { Static } from '@sinclair/typebox';
import type { DocumentAccepted } from '../../schema/generated.js';
import { topics } from '../../schema/topics.js';
import type { DecodedSummary } from '../domain/decoded-text.js';
import { SluiceError } from '../domain/errors.js';
import { blobKeys } from '../ports/blob-store/keys.js';
import type { Catalog } from '../ports/catalog/port.js';
import type { Ports } from '../ports/ports.js';
import { crashPoint } from '../runtime/crash-points.js';
import { afterWrite, isAlive } from '../runtime/fence.js';
import { output, type OutputTo } from '../runtime/processor.js';
import { decodeStream } from './decode-stream.js';
import type { decoderConfig } from './decoder-config.js';
import { copyText } from './copy-text.js';
import { storedSummary, storeText } from './stored-text.js';

type DecoderOutput = OutputTo<typeof topics.documentCommands | typeof topics.documentsDecoded>;

interface DecoderContext {
  readonly config: Static<typeof decoderConfig>;
  readonly ports: Pick<Ports, 'blobStore'> & { readonly catalog: Pick<Catalog, 'versions'> };
  readonly signal: AbortSignal;
}

/**
 * Decodes a version's source into its text and blocks, once: a text that is stored is confirmed as it is, since a newer
 * library must not rewrite text under live offsets.
 */
export async function decodeDocument(
  message: DocumentAccepted,
  context: DecoderContext,
): Promise<readonly DecoderOutput[]> {
  const { blobStore, catalog } = context.ports;
  const { workspace, version_hash: hash } = message;
  const version = async () => (await catalog.versions([hash])).get(hash);

  if (!isAlive(await version())) return [];
  const stored = await storedSummary(blobStore, workspace, hash);
  if (stored !== undefined) return confirmations(message, stored);

  const copied = message.text_of === null ? undefined : await copyText(blobStore, workspace, message.text_of, hash);
  if (copied !== undefined) return fenced(copied);

  const summary = await storeText(blobStore, workspace, hash, decoded(message, context), context.signal).catch(
    unlessMissing,
  );
  if (summary === undefined) {
    // The source goes with its version.
    if (!isAlive(await version())) return [];
    const key = blobKeys.source(workspace, message.upload_id);
    throw new SluiceError('internal', `the bytes of document "${message.document_id}" are missing: blob ${key}`);
  }
  return fenced(summary);

  async function fenced(written: DecodedSummary): Promise<readonly DecoderOutput[]> {
    crashPoint('decoder.after-effect');
    crashPoint('decoder.fence');
    switch (afterWrite(await version())) {
      case 'keep':
        return confirmations(message, written);
      case 'leave':
        return [];
      case 'remove':
        await blobStore.delete([blobKeys.text(workspace, hash), blobKeys.blocks(workspace, hash)]);
        return [];
    }
  }
}

class SourceMissing extends Error {}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof SourceMissing)) throw error;
}

function decoded(message: DocumentAccepted, { config, ports, signal }: DecoderContext) {
  const key = blobKeys.source(message.workspace, message.upload_id);
  const open = async (): Promise<AsyncIterable<Buffer>> => {
    const bytes = await ports.blobStore.getStream(key);
    if (bytes === undefined) throw new SourceMissing();
    return bytes;
  };
  const { segmentTimeoutMs: timeoutMs, maxWholeBytes } = config;
  const hints = { contentType: message.content_type, source: message.source ?? message.document_id };
  return decodeStream(open, hints, { timeoutMs, maxWholeBytes, signal });
}

function confirmations(message: DocumentAccepted, summary: DecodedSummary): readonly DecoderOutput[] {
  const { workspace, collection, document_id, version, version_hash } = message;
  const { text_sha256, text_bytes, content_type, attributes } = summary;
  const of = { workspace, collection, document_id, version, version_hash, text_sha256, text_bytes, content_type };
  return [
    output(topics.documentCommands, { kind: 'decoded', ...of, attributes: JSON.stringify(attributes) }),
    output(topics.documentsDecoded, of),
  ];
}
