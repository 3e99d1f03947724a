import type { Readable } from 'node:stream';
import { SluiceError } from '../../../services/domain/errors.js';
import { blobKeys } from '../../../services/ports/blob-store/keys.js';
import type { VersionRecord } from '../../../services/ports/catalog/port.js';
import type { Call, GatewayContext } from '../context.js';
import { requireDocument, type DocumentReference } from './read.js';

/** Decoded text, whole or in part. */
export interface DocumentText {
  readonly stream: Readable;
  /** Bytes of the whole text. */
  readonly totalBytes: number;
  /** Bytes of this part, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** sha256 of the whole text. */
  readonly textSha256: string;
}

/** Bytes, end exclusive; a negative start counts from the end. */
export interface TextRange {
  readonly start: number;
  readonly end?: number;
}

/**
 * The decoded text, UTF-8, that citations count in: of the live version, else of the newest. Throws document-not-found,
 * not-found while there is no text yet, range-not-satisfiable.
 */
export async function documentText(
  context: GatewayContext,
  call: Call,
  reference: DocumentReference & { readonly range?: TextRange },
): Promise<DocumentText> {
  const document = await requireDocument(context, call, reference);
  const version = document.live ?? document.newest;
  if (version === null || version.textSha256 === null) throw noText(reference, version);
  const key = blobKeys.text(call.caller.workspace, version.versionHash);
  const totalBytes = version.textBytes ?? (await context.ports.blobStore.head(key))?.sizeBytes ?? 0;
  const { start, end } = within(reference.range, totalBytes);
  const whole = reference.range === undefined;
  const stream = await context.ports.blobStore.getStream(key, whole ? undefined : { start, end });
  if (stream === undefined) throw noText(reference, version);
  return { stream, totalBytes, start, end, textSha256: version.textSha256 };
}

function within(range: TextRange | undefined, totalBytes: number): { start: number; end: number } {
  if (range === undefined) return { start: 0, end: totalBytes };
  const start = range.start < 0 ? Math.max(0, totalBytes + range.start) : range.start;
  const end = Math.min(range.end ?? totalBytes, totalBytes);
  if (start < end) return { start, end };
  throw new SluiceError('range-not-satisfiable', `the text has ${totalBytes} bytes; none of them is in that range`);
}

const noText = ({ document_id }: DocumentReference, version: VersionRecord | null): SluiceError =>
  new SluiceError(
    'not-found',
    `document "${document_id}" has no decoded text (its state is ${version?.state ?? 'pending'}): wait until it is ready`,
  );
