import type { VectorScope } from '../port.js';
import { guarded } from './failures.js';
import { ScopeTables, type Database } from './scope-tables.js';
import { tableName } from './table-name.js';

/** Opening a scope costs milliseconds, an open one file handles and caches. */
const maxOpenScopes = 128;

interface Entry {
  tables: Promise<ScopeTables | undefined>;
  /** How many operations use the tables now: only unused ones are closed. */
  users: number;
  /** Called when nobody uses them any more. */
  left?: () => void;
}

/** The open scopes, least recently used first out; of one scope there are never two writers. */
export class OpenScopes {
  /** In order of use. */
  readonly #entries = new Map<string, Entry>();
  /** Scopes that are being closed: whoever wants one again waits for that. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly folder: string,
  ) {}

  /** Does something with a scope's tables, made if need be. */
  async write<T>(scope: VectorScope, use: (tables: ScopeTables) => Promise<T>): Promise<T> {
    return this.#use(scope, async (entry) => {
      entry.tables = entry.tables.then(async (tables) => tables ?? ScopeTables.open(this.database, scope, true));
      const tables = await entry.tables;
      if (tables === undefined) throw new Error(`table ${tableName(scope)} was made and is not there`);
      return use(tables);
    });
  }

  /** Does something with a scope's tables, unless nothing was ever written there. */
  read<T>(scope: VectorScope, use: (tables: ScopeTables) => Promise<T>): Promise<T | undefined> {
    return this.#use(scope, async (entry) => {
      const tables = await entry.tables;
      return tables === undefined ? undefined : use(tables);
    });
  }

  /** Removes a scope with all its points. */
  drop(scope: VectorScope): Promise<void> {
    return this.#use(scope, async (entry) => {
      // A write that comes meanwhile waits for the end of this, and makes the tables anew.
      entry.tables = entry.tables.then(async (tables) => {
        await tables?.close();
        // Also what is left of a scope whose removal, or making, was cut short.
        await ScopeTables.drop(this.database, scope);
        return undefined;
      });
      await entry.tables;
    });
  }

  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { tables } of entries) await closed(tables);
    await Promise.all(this.#closing.values());
  }

  async #use<T>(scope: VectorScope, use: (entry: Entry) => Promise<T>): Promise<T> {
    const name = tableName(scope);
    const entry = this.#entries.get(name) ?? { tables: this.#open(name, scope), users: 0 };
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    entry.users++;
    try {
      return await guarded(this.folder, () => use(entry));
    } finally {
      entry.users--;
      if (entry.users === 0) entry.left?.();
      await this.#tidy(name, entry);
    }
  }

  /**
   * Forgets a scope that is not there or could not be opened, closes one that is outworn, and, of too many, the one that
   * was not used for longest.
   */
  async #tidy(name: string, entry: Entry): Promise<void> {
    const tables = await entry.tables.catch(() => undefined);
    if (this.#entries.get(name) === entry) {
      if (tables === undefined && entry.users === 0) this.#entries.delete(name);
      // Not waited for: who wants the scope next does that.
      if (tables?.outworn === true) void this.#retire(name, entry).catch(() => undefined);
    }
    if (this.#entries.size <= maxOpenScopes) return;
    const oldest = [...this.#entries].find(([, { users }]) => users === 0);
    if (oldest !== undefined) await this.#retire(...oldest);
  }

  /** Closes a scope once nobody uses it; whoever comes meanwhile waits and opens it anew. */
  #retire(name: string, entry: Entry): Promise<void> {
    this.#entries.delete(name);
    const unused = new Promise<void>((resolve) => {
      if (entry.users === 0) resolve();
      else entry.left = resolve;
    });
    const closing = unused.then(() => closed(entry.tables)).finally(() => this.#closing.delete(name));
    this.#closing.set(name, closing);
    return closing;
  }

  async #open(name: string, scope: VectorScope): Promise<ScopeTables | undefined> {
    await this.#closing.get(name);
    return ScopeTables.open(this.database, scope, false);
  }
}

const closed = async (tables: Promise<ScopeTables | undefined>): Promise<void> =>
  (await tables.catch(() => undefined))?.close();
