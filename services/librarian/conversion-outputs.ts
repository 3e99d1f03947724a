import { topics } from '../../schema/topics.js';
import type { ConversionEffect } from '../domain/collections/convert.js';
import type { CollectionKey } from '../ports/catalog/librarian-store.js';
import { output } from '../runtime/processor.js';
import type { LibrarianOutput } from './outputs.js';

/** A step over the documents of a collection, after the one that `cursor` names. */
export interface ConversionWalk {
  readonly of: 'reindex' | 'rechunk' | 'unsettled';
  readonly cursor: string;
}

/** The messages that follow from a conversion's decision. */
export function conversionOutputs(key: CollectionKey, effect: ConversionEffect): LibrarianOutput[] {
  switch (effect.kind) {
    case 'walk':
      return [output(topics.documentCommands, { kind: effect.of, ...key, cursor: '' })];
    case 'walk-unsettled':
      return [output(topics.documentCommands, { kind: 'settle-documents', ...key, cursor: '' })];
    case 'purge-space':
      return [
        output(topics.purges, { ...key, document_id: '', version: 0, version_hash: '', spaces: [effect.space.id] }),
      ];
  }
}
