import type { EmbeddingSpace } from '../../../domain/embedding-space.js';
import { SluiceError } from '../../../domain/errors.js';
import { Batches } from './batches.js';
import type { QdrantServer } from './server.js';
import type { Collections } from './collections.js';
import type { inScope } from './conditions.js';
import { MissingCollection } from './failures.js';
import { bytesOf, storedPoint, type PendingPoint } from './points.js';

export interface WriteOptions {
  readonly upsertStreams: number;
  readonly maxPointsPerBatch: number;
  readonly maxBytesPerBatch: number;
}

/** The server breaks the connection on a body of more than 32 MiB. */
const maxPointBytes = 30 << 20;
const removalStreams = 2;
const removalsAtOnce = 128;

type Selected = ReturnType<typeof inScope>;

/** Upserts and removals of many callers, gathered per embedding space into requests of bounded size. */
export class Writes {
  readonly #upserts = new Map<string, Batches<PendingPoint>>();
  readonly #removals = new Map<string, Batches<Selected>>();

  constructor(
    private readonly server: QdrantServer,
    private readonly collections: Collections,
    private readonly options: WriteOptions,
  ) {}

  async upsert(space: EmbeddingSpace, points: readonly PendingPoint[]): Promise<void> {
    if (points.length === 0) return;
    for (const point of points) {
      const bytes = bytesOf(point);
      if (bytes > maxPointBytes) {
        const chunk = String(point.payload['chunk_id']);
        throw new SluiceError(
          'too-large',
          `chunk ${chunk} takes ${bytes} bytes in the vector store, which is too much`,
        );
      }
    }
    await this.collections.ensure(space);
    const batches = batchesOf(this.#upserts, this.collections.name(space), () => ({
      streams: this.options.upsertStreams,
      maxItems: this.options.maxPointsPerBatch,
      maxBytes: this.options.maxBytesPerBatch,
      bytesOf,
      run: (batch) => this.#write(space, batch),
    }));
    await batches.submit(points);
  }

  /** Removes the points that any of the conditions holds for. */
  async remove(space: EmbeddingSpace, conditions: readonly Selected[]): Promise<void> {
    const batches = batchesOf(this.#removals, this.collections.name(space), () => ({
      streams: removalStreams,
      maxItems: removalsAtOnce,
      maxBytes: this.options.maxBytesPerBatch,
      bytesOf: (condition) => Buffer.byteLength(JSON.stringify(condition)),
      run: (should) => this.#remove(space, should),
    }));
    await batches.submit(conditions);
  }

  async #write(space: EmbeddingSpace, points: readonly PendingPoint[]): Promise<void> {
    const name = this.collections.name(space);
    const stored = points.map(storedPoint);
    try {
      await this.server.upsert(name, stored);
    } catch (error) {
      if (!(error instanceof MissingCollection)) throw error;
      // Removed by hand, or by a restore: made anew, once.
      this.collections.forget(space);
      await this.collections.ensure(space);
      await this.server.upsert(name, stored);
    }
  }

  async #remove(space: EmbeddingSpace, should: readonly Selected[]): Promise<void> {
    try {
      await this.server.remove(this.collections.name(space), { should: [...should] });
    } catch (error) {
      if (!(error instanceof MissingCollection)) throw error;
    }
  }
}

function batchesOf<T>(
  all: Map<string, Batches<T>>,
  name: string,
  options: () => ConstructorParameters<typeof Batches<T>>[0],
): Batches<T> {
  let batches = all.get(name);
  if (batches === undefined) all.set(name, (batches = new Batches(options())));
  return batches;
}
