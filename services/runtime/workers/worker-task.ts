import { errorInfo, SluiceError, type ErrorCode } from '../../domain/errors.js';
import { compiledFile } from './compiled-file.js';

/** A function of a worker file, by the types of its one argument and its result; both travel as structured clones. */
export interface WorkerTask<I, O> {
  /** The compiled file. */
  readonly filename: string;
  /** The name of the export. */
  readonly name: string;
  /** Carries the types; never set. */
  readonly types?: (input: I) => O;
}

/** What comes back from a thread: errors lose their class on the way, so they travel as data. */
export type TaskResult<O> =
  | { readonly value: O }
  | { readonly error: { readonly code: ErrorCode; readonly message: string; readonly stack: string | undefined } };

/** Names an export of a worker file: `workerTask(new URL('./x-worker.js', import.meta.url), 'x')`. */
export const workerTask = <I, O>(file: URL, name: string): WorkerTask<I, O> => ({ filename: compiledFile(file), name });

/** Wraps a function for export from a worker file. */
export const taskOf =
  <I, O>(run: (input: I) => O) =>
  (input: I): TaskResult<O> => {
    try {
      return { value: run(input) };
    } catch (error) {
      return failureOf(error);
    }
  };

/** The same for a function that takes its time. */
export const asyncTaskOf =
  <I, O>(run: (input: I) => Promise<O>) =>
  async (input: I): Promise<TaskResult<O>> => {
    try {
      return { value: await run(input) };
    } catch (error) {
      return failureOf(error);
    }
  };

const failureOf = (error: unknown): TaskResult<never> => ({
  error: { ...errorInfo(error), stack: error instanceof Error ? error.stack : undefined },
});

/** The value of a task's result, or its error thrown on this side. */
export function valueOf<O>(result: TaskResult<O>): O {
  if ('value' in result) return result.value;
  const error = new SluiceError(result.error.code, result.error.message);
  if (result.error.stack !== undefined) error.stack = result.error.stack;
  throw error;
}
