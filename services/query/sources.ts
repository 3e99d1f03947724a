import { SluiceError } from '../domain/errors.js';
import type { EmbeddingModel } from '../ports/embedding-model/port.js';
import type { VectorStore } from '../ports/vector-store/port.js';
import { atLeast, emptyList, type CandidateList } from './candidate.js';
import { encodeQuery } from './encode.js';
import type { ListName } from './fuse.js';
import { searchTerms, searchVectors, type FilteredScope } from './lists.js';
import type { RetrievalPlan } from './plan.js';

/** What the lists of a search are made from. */
interface SourceInputs {
  readonly plan: RetrievalPlan;
  readonly scopes: readonly FilteredScope[];
  readonly store: VectorStore;
  /** Absent in lexical mode and for a caller's own vector. */
  readonly model: EmbeddingModel | undefined;
  readonly signal: AbortSignal;
  /** Told of a list that failed and is done without. */
  onMissing(name: ListName, error: unknown): void;
}

/** The lists that a plan asks for, at any size; the query is encoded once. */
export class Sources {
  readonly #encode: (() => Promise<Float32Array | undefined>) | undefined;
  readonly #missing = new Map<ListName, unknown>();
  #encoded: Promise<Float32Array | undefined> | undefined;

  constructor(private readonly inputs: SourceInputs) {
    const { plan, model, signal } = inputs;
    const { vector } = plan;
    if (vector !== undefined) this.#encode = () => Promise.resolve(vector);
    else if (model !== undefined && plan.mode !== 'lexical')
      this.#encode = () => encodeQuery(model, plan.query, signal);
  }

  /** The lists that failed, with `degrade`. */
  get missing(): readonly ListName[] {
    return [...this.#missing.keys()];
  }

  /** The `pool` best of each list; an empty one where the mode has none. */
  async lists(pool: number): Promise<Readonly<Record<ListName, CandidateList>>> {
    const { plan, scopes, store, signal } = this.inputs;
    const encode = this.#encode;
    const [vector, lexical] = await Promise.all([
      encode === undefined
        ? emptyList
        : this.#orWithout('vector', async () => {
            this.#encoded ??= encode();
            const encoded = await this.#encoded;
            return encoded === undefined ? emptyList : searchVectors(store, scopes, encoded, { pool, signal });
          }),
      plan.mode === 'semantic'
        ? emptyList
        : this.#orWithout('lexical', () => searchTerms(store, scopes, plan.query, { pool, signal })),
    ]);
    return { vector: atLeast(vector, plan.minScore), lexical: atLeast(lexical, plan.minScore) };
  }

  /**
   * With `degrade`, one list of a hybrid search may fail for a reason that is not the request's: then the other answers
   * alone. What the request itself has wrong, or the store cannot do at all, is never silently left out.
   */
  async #orWithout(name: ListName, find: () => Promise<CandidateList>): Promise<CandidateList> {
    const { plan, signal, onMissing } = this.inputs;
    if (this.#missing.has(name)) return emptyList;
    try {
      return await find();
    } catch (error) {
      const ownFault = error instanceof SluiceError && error.class === 'terminal';
      if (plan.mode !== 'hybrid' || !plan.degrade || ownFault || signal.aborted) throw error;
      if (this.#missing.size > 0) throw error; // the other list is missing too
      this.#missing.set(name, error);
      onMissing(name, error);
      return emptyList;
    }
  }
}
