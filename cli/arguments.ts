import { InvalidArgumentError } from 'commander';
import { UsageError } from './usage-error.js';

/** A parser of whole numbers within bounds, for options. */
export const wholeNumber =
  (minimum: number, maximum: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/u.test(text) && value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };

/** A parser of numbers within bounds, for options. */
export const numberWithin =
  (minimum: number, maximum: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`It must be a number from ${minimum} to ${maximum}.`);
  };

/** Collects an option that may be given several times. */
export const repeated = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

/** The words of a question as one text. Throws UsageError if there is none. */
export function textOf(words: readonly string[], what: string): string {
  const text = words.join(' ').trim();
  if (text === '') throw new UsageError(`the ${what} is empty: write it after the command, in quotes`);
  return text;
}

/** A condition: clauses as they are, or the JSON form where the text starts with a brace. */
export function whereOf(text: string): string | Record<string, unknown> {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // told below
  }
  throw new UsageError(
    `--where ${text} is not JSON: write clauses such as 'year>=2020', or an object such as '{"exists":"year"}'`,
  );
}
