/** One row; values as the driver gives them. Read them with the functions of row.ts. */
export type Row = Readonly<Record<string, unknown>>;

/** Parameters are strings, numbers, booleans, null, Dates, or arrays of these; jsonb is given as its JSON text. */
export type Parameter = string | number | boolean | null | Date | readonly (string | number | boolean | null | Date)[];

export interface SqlSession {
  query(sql: string, parameters?: readonly Parameter[]): Promise<readonly Row[]>;
}

/** All that the catalog asks of a database. Errors are SluiceErrors where a kind is known (`unavailable`, `storage-full`). */
export interface SqlClient extends SqlSession {
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
