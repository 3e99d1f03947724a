import type { Connection, Table } from '@lancedb/lancedb';
import { SluiceError } from '../../../domain/errors.js';
import { describeSpace } from '../../../domain/embedding-space.js';
import type { Point, VectorScope } from '../port.js';
import { lancedb } from './native.js';
import { termRows, termSchema, vectorRows, vectorSchema } from './rows.js';
import { tableName } from './table-name.js';
import { Upkeep } from './upkeep.js';
import { maintainVectors } from './vector-index.js';
import { WriteQueue } from './write-queue.js';

const termIndex = 'terms_idx';

/** So many commits through one connection, then a new one: it keeps what it knew of each version of a table. */
const maxCommits = 64;

export interface Database {
  /** A new connection. */
  connect(): Promise<Connection>;
  /** The size, in floats, up to which a table of vectors is searched without an index. */
  readonly exactFloats: number;
}

/**
 * Where one scope's points stand: unit vectors in one table, terms in another. Keeping the full-text index exact means
 * compacting its table often, which must not rewrite every vector.
 */
export class ScopeTables {
  readonly queue: WriteQueue;
  readonly #upkeep: Upkeep;
  #commits = 0;

  private constructor(
    private readonly db: Connection,
    readonly vectors: Table,
    readonly terms: Table,
    readonly dimensions: number,
    exactFloats: number,
  ) {
    this.queue = new WriteQueue({
      upsert: (points) => this.#upsert(points),
      remove: (predicates) => this.#remove(predicates),
    });
    this.#upkeep = new Upkeep(this.queue, terms, termIndex, (due) =>
      maintainVectors(vectors, { dimensions, exactFloats, ...due }),
    );
  }

  /** Opens a scope's tables, or makes them; undefined when they do not exist and are not to be made. */
  static async open(database: Database, scope: VectorScope, create: boolean): Promise<ScopeTables | undefined> {
    const db = await database.connect();
    try {
      const tables = await ScopeTables.#openWith(db, database, scope, create);
      if (tables === undefined) db.close();
      return tables;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  static async #openWith(
    db: Connection,
    { exactFloats }: Database,
    scope: VectorScope,
    create: boolean,
  ): Promise<ScopeTables | undefined> {
    const { dimensions } = scope.space;
    const name = tableName(scope);
    const vectors = await table(db, `${name}-vectors`, create ? vectorSchema(dimensions) : undefined);
    const terms = await table(db, `${name}-terms`, create ? termSchema() : undefined);
    if (vectors === undefined || terms === undefined) return undefined;
    await requireWidth(vectors, scope);
    const tables = new ScopeTables(db, vectors, terms, dimensions, exactFloats);
    await tables.#ensureTermIndex();
    return tables;
  }

  static async drop(database: Database, scope: VectorScope): Promise<void> {
    const db = await database.connect();
    try {
      for (const part of ['terms', 'vectors']) {
        await db.dropTable(`${tableName(scope)}-${part}`).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    } finally {
      db.close();
    }
  }

  /** Whether to open the scope anew, to let go of what its connection has gathered; not while an index is being built. */
  get outworn(): boolean {
    return this.#commits >= maxCommits && !this.#upkeep.running;
  }

  /** After a change of rows: the index is brought up to date in the background. */
  changed(rows: number): void {
    this.#commits++;
    this.#upkeep.changed(rows);
  }

  /** Makes BM25 scores exact, if that is quick. */
  settle(): Promise<void> {
    return this.#upkeep.settle();
  }

  async close(): Promise<void> {
    await this.#upkeep.stop();
    await this.queue.settled();
    this.vectors.close();
    this.terms.close();
    this.db.close();
  }

  async #upsert(points: readonly Point[]): Promise<void> {
    const latest = [...new Map(points.map((point) => [point.pointId, point])).values()];
    await Promise.all([merge(this.vectors, vectorRows(latest, this.dimensions)), merge(this.terms, termRows(latest))]);
    this.changed(latest.length);
  }

  async #remove(predicates: readonly string[]): Promise<void> {
    const any = predicates.map((predicate) => `(${predicate})`).join(' OR ');
    await Promise.all([this.vectors.delete(any), this.terms.delete(any)]);
    this.changed(predicates.length);
  }

  /** Also of a table whose maker died between the two steps. */
  async #ensureTermIndex(): Promise<void> {
    const statistics = await this.terms.indexStats(termIndex);
    if (statistics === undefined) {
      await this.queue.run(() =>
        this.terms.createIndex('terms', {
          config: lancedb.Index.fts({
            baseTokenizer: 'whitespace',
            stem: false,
            removeStopWords: false,
            lowercase: false,
            asciiFolding: false,
            withPosition: false,
            maxTokenLength: 1024,
          }),
        }),
      );
      return;
    }
    // Whoever had it open last may have died before its upkeep; rows removed then still count in the index's statistics.
    this.#upkeep.changed(Math.max(1, statistics.numUnindexedRows));
  }
}

const merge = (target: Table, rows: ReturnType<typeof termRows>): Promise<unknown> =>
  target.mergeInsert('point_id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);

async function table(
  db: Connection,
  name: string,
  schema: ReturnType<typeof termSchema> | undefined,
): Promise<Table | undefined> {
  if (schema !== undefined) return db.createEmptyTable(name, schema, { mode: 'create', existOk: true });
  try {
    return await db.openTable(name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const isNotFound = (error: unknown): boolean => error instanceof Error && /was not found/i.test(error.message);

async function requireWidth(vectors: Table, { space }: VectorScope): Promise<void> {
  const { fields } = await vectors.schema();
  const type = fields.find(({ name }) => name === 'vector')?.type as { listSize?: number } | undefined;
  if (type?.listSize === space.dimensions) return;
  throw new SluiceError(
    'space-mismatch',
    `the vector store holds vectors of ${String(type?.listSize)} dimensions for space ${describeSpace(space)}: ` +
      'give the model another space id, or reindex the collection',
  );
}
