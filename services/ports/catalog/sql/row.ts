import type { Row } from './sql-client.js';

const bad = (row: Row, column: string, expected: string): Error =>
  new Error(`catalog column "${column}" holds ${typeof row[column]} where ${expected} belongs`);

/** Readers of columns: drivers differ in what they return for big integers, times and JSON. */
export const column = {
  text(row: Row, name: string): string {
    const value = row[name];
    if (typeof value === 'string') return value;
    throw bad(row, name, 'text');
  },
  textOrNull: (row: Row, name: string): string | null => (row[name] === null ? null : column.text(row, name)),

  integer(row: Row, name: string): number {
    const value = row[name];
    const number =
      typeof value === 'number' ? value : typeof value === 'bigint' || typeof value === 'string' ? Number(value) : NaN;
    if (Number.isSafeInteger(number)) return number;
    throw bad(row, name, 'an integer');
  },
  integerOrNull: (row: Row, name: string): number | null => (row[name] === null ? null : column.integer(row, name)),

  boolean(row: Row, name: string): boolean {
    const value = row[name];
    if (typeof value === 'boolean') return value;
    throw bad(row, name, 'a boolean');
  },

  time(row: Row, name: string): Date {
    const value = row[name];
    if (value instanceof Date) return value;
    throw bad(row, name, 'a time');
  },
  timeOrNull: (row: Row, name: string): Date | null => (row[name] === null ? null : column.time(row, name)),
  /** Epoch milliseconds. */
  milliseconds: (row: Row, name: string): number => column.time(row, name).getTime(),
  millisecondsOrNull: (row: Row, name: string): number | null =>
    row[name] === null ? null : column.milliseconds(row, name),

  texts(row: Row, name: string): string[] {
    const value = row[name];
    if (Array.isArray(value) && value.every((each): each is string => typeof each === 'string')) return value;
    throw bad(row, name, 'an array of text');
  },

  /** A jsonb column whose shape is what this code once wrote there. */
  json: <T>(row: Row, name: string): T => row[name] as T,
};
