import { SluiceError } from '../../../domain/errors.js';

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** There is no such file; a key below a blob, or above one, names nothing either. */
export const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error) ?? '');

export const hasCode = (error: unknown, ...codes: string[]): boolean => codes.includes(codeOf(error) ?? '');

/** What a file system error means to the callers of a blob store. */
export function storeFailure(error: unknown, doing: string, folder: string): unknown {
  const code = codeOf(error);
  if (error instanceof SluiceError || code === undefined) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `no space left while ${doing} in ${folder}: free some, or move the data folder to a larger disk`;
    return new SluiceError('storage-full', message, { cause: error });
  }
  return new SluiceError('unavailable', `${doing} in ${folder} failed: ${(error as Error).message}`, { cause: error });
}
