import { createHash } from 'node:crypto';
import { SluiceError } from './errors.js';

declare const brand: unique symbol;
type Brand<T, B extends string> = T & { readonly [brand]: B };

export type WorkspaceId = Brand<string, 'workspace'>;
export type CollectionId = Brand<string, 'collection'>;
export type DocumentId = Brand<string, 'document'>;
export type VersionHash = Brand<string, 'version-hash'>;
export type ChunkId = Brand<string, 'chunk'>;
export type PointId = Brand<string, 'point'>;

/** Which document: the same id in two collections or two workspaces is two documents. */
export interface DocumentKey {
  readonly workspace: string;
  readonly collection: string;
  readonly documentId: string;
}

const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const maxDocumentIdBytes = 1024;
const chunksPerPack = 64;

/** How many chunks a pack holds: the place of a chunk follows from its id alone. */
export const packSize = chunksPerPack;

const sha256 = (...parts: (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  parts.forEach((part, index) => {
    if (index > 0) hash.update('\0');
    hash.update(part);
  });
  return hash.digest('hex');
};

function name(kind: string, value: string): string {
  if (namePattern.test(value)) return value;
  throw new SluiceError(
    'invalid-argument',
    `${kind} ${JSON.stringify(value)} is not a valid name: use 1 to 64 of a-z, 0-9, ".", "_", "-", starting with a letter or digit`,
  );
}

/** Throws invalid-argument unless `value` is a workspace name. */
export const workspaceId = (value: string): WorkspaceId => name('workspace', value) as WorkspaceId;

/** Throws invalid-argument unless `value` is a collection id. */
export const collectionId = (value: string): CollectionId => name('collection', value) as CollectionId;

/** A caller's own document id: any well-formed string of 1 to 1,024 UTF-8 bytes that is not blank and has no U+0000. */
export function documentId(value: string): DocumentId {
  const bad =
    value.trim() === ''
      ? 'is blank'
      : Buffer.byteLength(value) > maxDocumentIdBytes
        ? `is longer than ${maxDocumentIdBytes} bytes`
        : value.includes('\0')
          ? 'contains U+0000'
          : /\p{Surrogate}/u.test(value)
            ? 'contains a lone surrogate'
            : undefined;
  if (bad === undefined) return value as DocumentId;
  throw new SluiceError('invalid-argument', `document id ${JSON.stringify(value.slice(0, 80))} ${bad}`);
}

/** The id of a document whose caller gave none but a source URI: hex sha256(collection NUL uri). */
export const documentIdOfSource = (collection: string, uri: string): DocumentId =>
  sha256(collection, uri) as DocumentId;

/** The id of a document with neither id nor source: hex sha256(collection NUL "content:" NUL content hash). */
export const documentIdOfContent = (collection: string, contentHash: string): DocumentId =>
  sha256(collection, 'content:', contentHash) as DocumentId;

/** Lowercase hex sha256 of raw bytes. */
export const contentHash = (bytes: Buffer): string => sha256(bytes);

/** Hex sha256(workspace NUL collection NUL document id NUL decimal version). */
export const versionHash = (key: DocumentKey, version: number): VersionHash =>
  sha256(key.workspace, key.collection, key.documentId, String(version)) as VersionHash;

/** `<version hash>:<seq>`, seq from 0. */
export const chunkId = (version: string, seq: number): ChunkId => `${version}:${seq}` as ChunkId;

/** The parts of a chunk id of ours, or undefined for a foreign one. */
export function parseChunkId(id: string): { readonly versionHash: VersionHash; readonly seq: number } | undefined {
  const match = /^([0-9a-f]{64}):(0|[1-9][0-9]{0,15})$/.exec(id);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { versionHash: match[1] as VersionHash, seq: Number(match[2]) };
}

/** The pack that holds chunk `seq`. */
export const packOf = (seq: number): number => Math.floor(seq / chunksPerPack);

const uuidNamespace = Buffer.from('8f0a3cf2b1d54e0c9a6f5d2c7b3e9a41', 'hex');

/** UUIDv5 (RFC 9562) of a name in Sluice's own namespace. */
export function uuidOf(name: string): string {
  const bytes = createHash('sha1').update(uuidNamespace).update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The vector store's id of a chunk: UUIDv5 of the chunk id. */
export const pointId = (chunk: string): PointId => uuidOf(chunk) as PointId;

/** The message id of an input's output: the same input always makes the same ids. */
export const derivedMessageId = (inputId: string, index: number): string => uuidOf(`${inputId}\0${index}`);

/** One string for a document key, for maps and message keys. */
export const documentKeyString = (key: DocumentKey): string => `${key.workspace}/${key.collection}/${key.documentId}`;

/** Byte order of UTF-8: the order of every list of strings, whatever the locale. */
export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
