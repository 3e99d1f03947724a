import type { DocumentCommand } from '../../schema/generated.js';
import type { Attributes, AttributeValue } from '../domain/attributes.js';
import type { Command, Submit } from '../domain/documents/command.js';
import type { ConversionCommand } from '../domain/collections/convert.js';
import { SluiceError } from '../domain/errors.js';
import { documentId, versionHash, workspaceId, collectionId, type DocumentKey } from '../domain/identity.js';
import type { ConversionWalk } from './conversion-outputs.js';
import { parseConversion } from './parse-conversion.js';

/** What a message on document-commands asks for. */
export type Parsed =
  | { readonly kind: 'document'; readonly key: DocumentKey; readonly command: Command }
  | { readonly kind: 'delete-collection'; readonly cursor: string | null }
  | { readonly kind: 'conversion'; readonly command: ConversionCommand }
  | { readonly kind: 'conversion-walk'; readonly walk: ConversionWalk }
  /** It names a version by a hash that is not that version's: not ours to act on. */
  | { readonly kind: 'foreign' };

/**
 * Reads a message. Throws invalid-argument for one that no retry will make readable, and newer-release for a
 * kind that this one does not know: a newer one that runs beside it, or comes after it, will.
 */
export function parseCommand(message: DocumentCommand, messageId: string): Parsed {
  workspaceId(message.workspace);
  collectionId(message.collection);
  if (message.kind === 'delete-collection') return { kind: 'delete-collection', cursor: message.cursor };
  const conversion = message.document_id === '' ? parseConversion(message, messageId) : undefined;
  if (conversion !== undefined) return conversion;
  const key = {
    workspace: message.workspace,
    collection: message.collection,
    documentId: documentId(message.document_id),
  };
  if (message.version !== null && message.version_hash !== null) {
    if (message.version_hash !== versionHash(key, message.version)) return { kind: 'foreign' };
  }
  return { kind: 'document', key, command: documentCommand(message, messageId) };
}

function documentCommand(message: DocumentCommand, messageId: string): Command {
  switch (message.kind) {
    case 'submit':
      return submit(message, messageId);
    case 'submit-failed':
      return {
        kind: 'submit-failed',
        operation: required(message, 'operation_id'),
        uploadId: message.upload_id,
        code: message.code ?? 'internal',
        reason: clean(message.reason) ?? '',
      };
    // A delete that names versions is part of a larger one, whose operation is the caller's.
    case 'delete':
      return { kind: 'delete', operation: message.version === null ? messageId : null, upTo: message.version };
    case 'retry':
      return { kind: 'retry', operation: messageId, version: message.version };
    case 'stalled':
      return { kind: 'stalled', version: required(message, 'version'), seq: required(message, 'seq') };
    case 'resumed':
      return { kind: 'resumed', version: required(message, 'version'), seq: required(message, 'seq') };
    case 'purge-due':
      return { kind: 'purge-due', version: required(message, 'version') };
    case 'purged':
      return { kind: 'purged', version: required(message, 'version') };
    case 'payload-updated':
      return {
        kind: 'payload-updated',
        version: required(message, 'version'),
        revision: required(message, 'revision'),
      };
    case 'reindex':
    case 'rechunk':
      return { kind: message.kind };
    case 'decoded':
      return {
        kind: 'decoded',
        version: required(message, 'version'),
        textSha256: required(message, 'text_sha256'),
        textBytes: required(message, 'text_bytes'),
        contentType: clean(message.content_type),
        title: clean(message.title),
        attributes: attributes(message.attributes),
      };
    case 'chunked':
      return {
        kind: 'chunked',
        version: required(message, 'version'),
        packs: count(message, 'packs'),
        chunks: count(message, 'chunks'),
        spaces: message.spaces,
      };
    case 'indexed':
      return {
        kind: 'indexed',
        version: required(message, 'version'),
        space: required(message, 'space'),
        pack: count(message, 'pack'),
        revision: message.revision,
        windowed: message.windowed,
      };
    case 'failed':
      return {
        kind: 'failed',
        version: required(message, 'version'),
        space: message.space,
        stage: clean(message.stage),
        code: clean(message.code),
        reason: clean(message.reason),
      };
    default:
      throw new SluiceError(
        'newer-release',
        `this release does not know the command "${message.kind}": run a newer librarian; the command waits for it`,
      );
  }
}

/** A submit with a fault is its caller's business, not a dead letter: its operation fails and says why. */
function submit(message: DocumentCommand, operation: string): Submit | Command {
  try {
    return {
      kind: 'submit',
      operation,
      uploadId: required(message, 'upload_id'),
      contentHash: required(message, 'content_hash'),
      sizeBytes: count(message, 'size_bytes'),
      title: clean(message.title),
      source: clean(message.source),
      contentType: clean(message.content_type),
      attributes: attributes(message.attributes),
      tags: (message.tags ?? []).map((tag) => clean(tag)),
      fileTime: message.file_time,
      flow: clean(message.flow) ?? 'default',
      force: message.force,
    };
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    const { code, message: reason } = error;
    return { kind: 'submit-failed', operation, uploadId: message.upload_id, code, reason };
  }
}

function required<K extends keyof DocumentCommand>(
  message: DocumentCommand,
  field: K,
): NonNullable<DocumentCommand[K]> {
  const value = message[field];
  if (value !== null && value !== '') return value;
  throw new SluiceError('invalid-argument', `a ${message.kind} command of ${message.document_id} names no ${field}`);
}

function count(message: DocumentCommand, field: 'packs' | 'chunks' | 'pack' | 'size_bytes'): number {
  const value = required(message, field);
  if (value >= 0) return value;
  throw new SluiceError(
    'invalid-argument',
    `a ${message.kind} command of ${message.document_id} has ${field} ${value}`,
  );
}

/** PostgreSQL holds neither U+0000 nor lone surrogates; texts of documents may well have them. */
function clean(text: string): string;
function clean(text: string | null): string | null;
function clean(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd');
}

function attributes(json: string | null): Attributes {
  if (json === null || json === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new SluiceError('invalid-argument', 'the attributes are not JSON: give an object of names and values');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new SluiceError('invalid-argument', 'the attributes are not a JSON object: give names and values');
  }
  return Object.fromEntries(
    Object.entries(parsed).map(([name, value]: [string, unknown]) => [clean(name), attribute(name, value)]),
  );
}

function attribute(name: string, value: unknown): AttributeValue {
  if (Array.isArray(value)) return value.map((each) => scalar(name, each));
  return scalar(name, value);
}

function scalar(name: string, value: unknown): string | number | boolean {
  if (typeof value === 'string') return clean(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  throw new SluiceError(
    'invalid-argument',
    `attribute "${name}" is neither a string, a number, a boolean nor a list of these: flatten or drop it`,
  );
}
