import { createHash } from 'node:crypto';
import type { Schemas } from '@qdrant/js-client-rest';
import type { Static } from '@sinclair/typebox';
import { describeSpace, type EmbeddingSpace } from '../../../domain/embedding-space.js';
import { SluiceError } from '../../../domain/errors.js';
import { MissingCollection } from './failures.js';
import type { QdrantServer } from './server.js';
import { indexes } from './points.js';
import type { qdrantConfig } from './qdrant-config.js';

/** How collections are named and made. */
export type CollectionOptions = Pick<
  Static<typeof qdrantConfig>,
  | 'prefix'
  | 'hnswM'
  | 'hnswPayloadM'
  | 'hnswEfConstruct'
  | 'hnswOnDisk'
  | 'fullScanThresholdKb'
  | 'quantisation'
  | 'onDisk'
  | 'shardNumber'
  | 'replicationFactor'
>;

/** The name of a space's collection: a space id may have any characters and any length. */
export const collectionName = (prefix: string, { id }: EmbeddingSpace): string =>
  `${prefix}space-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;

/** One collection per embedding space, made when it is first written to. */
export class Collections {
  readonly #ready = new Map<string, Promise<void>>();
  readonly #widths = new Map<string, number>();

  constructor(
    private readonly server: QdrantServer,
    private readonly options: CollectionOptions,
  ) {}

  name(space: EmbeddingSpace): string {
    return collectionName(this.options.prefix, space);
  }

  /**
   * Makes the space's collection and its indexes unless they are there; any number of processes may do so at once. Throws
   * space-mismatch when it holds vectors of another width.
   */
  async ensure(space: EmbeddingSpace): Promise<void> {
    const name = this.name(space);
    let ready = this.#ready.get(name);
    if (ready === undefined) this.#ready.set(name, (ready = this.#make(name, space)));
    try {
      await ready;
    } catch (error) {
      if (this.#ready.get(name) === ready) this.#ready.delete(name);
      throw error;
    }
    requireWidth(space, this.#widths.get(name));
  }

  /** Somebody has removed it. */
  forget(space: EmbeddingSpace): void {
    this.#ready.delete(this.name(space));
  }

  async #make(name: string, space: EmbeddingSpace): Promise<void> {
    let found = await described(this.server, name);
    if (found === undefined) {
      await this.server.create(name, this.#settings(space));
      found = await described(this.server, name);
    }
    if (found === undefined) {
      throw new SluiceError('unavailable', `Qdrant collection ${name} is still being created, or was removed at once`);
    }
    const { vectors } = found.config.params;
    const width = typeof vectors === 'object' && 'dense' in vectors ? vectors.dense?.size : undefined;
    if (typeof width === 'number') this.#widths.set(name, width);
    requireWidth(space, this.#widths.get(name));
    const { payload_schema: indexed } = found;
    const missing = Object.entries(indexes).filter(([field]) => indexed[field] === undefined);
    await Promise.all(missing.map(([field, schema]) => this.server.index(name, field, schema)));
  }

  #settings(space: EmbeddingSpace): Schemas['CreateCollection'] {
    const { quantisation, onDisk, shardNumber, replicationFactor } = this.options;
    return {
      vectors: { dense: { size: space.dimensions, distance: 'Cosine', on_disk: onDisk } },
      sparse_vectors: { terms: { modifier: 'idf', index: { on_disk: onDisk } } },
      hnsw_config: {
        m: this.options.hnswM,
        payload_m: this.options.hnswPayloadM,
        ef_construct: this.options.hnswEfConstruct,
        full_scan_threshold: this.options.fullScanThresholdKb,
        on_disk: this.options.hnswOnDisk,
      },
      ...(quantisation === 'scalar' ? { quantization_config: { scalar: { type: 'int8', always_ram: true } } } : {}),
      ...(quantisation === 'binary' ? { quantization_config: { binary: { always_ram: true } } } : {}),
      ...(shardNumber === 0 ? {} : { shard_number: shardNumber }),
      ...(replicationFactor === 0 ? {} : { replication_factor: replicationFactor }),
      metadata: { space: space.id, model: space.model },
    };
  }
}

/** Undefined: it is not there. */
export async function described(server: QdrantServer, name: string): Promise<Schemas['CollectionInfo'] | undefined> {
  try {
    return await server.describe(name);
  } catch (error) {
    if (error instanceof MissingCollection) return undefined;
    throw error;
  }
}

function requireWidth(space: EmbeddingSpace, width: number | undefined): void {
  if (width === space.dimensions) return;
  throw new SluiceError(
    'space-mismatch',
    `the vector store holds vectors of ${String(width)} dimensions for space ${describeSpace(space)}: ` +
      'give the model another space id, or reindex the collection',
  );
}
