import type { ChunksEmbedded } from '../../schema/generated.js';
import { SluiceError } from '../domain/errors.js';
import { filterableAttributes } from '../domain/filter/filterable-attributes.js';
import { parseChunkId, pointId } from '../domain/identity.js';
import { terms } from '../domain/lexical/terms.js';
import { embeddedText, type Pack } from '../domain/text.js';
import type { VersionRecord } from '../ports/catalog/port.js';
import type { Point } from '../ports/vector-store/port.js';

/** The points of one embedded pack: vectors from the message, lexical terms from the pack, attributes from the catalog. */
export function pointsOf({ chunks }: ChunksEmbedded, pack: Pack, version: VersionRecord): readonly Point[] {
  const attributes = filterableAttributes(version);
  const bySeq = new Map(pack.chunks.map((chunk) => [chunk.seq, chunk]));
  return chunks.map(({ chunk_id: id, vectors }) => {
    const seq = parseChunkId(id)?.seq;
    const chunk = seq === undefined ? undefined : bySeq.get(seq);
    const vector = vectors[0];
    if (chunk === undefined || vector === undefined) {
      throw new SluiceError('invalid-response', `chunk ${id} has no vector, or does not stand in its pack`);
    }
    return {
      pointId: pointId(id),
      chunkId: id,
      documentId: version.documentId,
      versionHash: version.versionHash,
      seq: chunk.seq,
      source: version.source ?? version.documentId,
      vector,
      terms: terms(embeddedText(chunk, version.chunkerSpec.contextPrefix), version.lexical),
      attributes,
    };
  });
}
