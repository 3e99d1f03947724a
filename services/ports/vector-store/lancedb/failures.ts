import { SluiceError } from '../../../domain/errors.js';

/**
 * Runs an operation of the engine. A full disk becomes storage-full; whatever else the engine itself reports (its errors
 * are plain ones, with a trace of its own source) is said in one sentence with the folder and the way out.
 */
export async function guarded<T>(folder: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof SluiceError) throw error;
    const options = { cause: error };
    if (/no space left on device|os error 28|quota exceeded/i.test(error.message)) {
      throw new SluiceError('storage-full', `no space is left for the vector store in ${folder}: free some`, options);
    }
    if (!/lance|object store|os error|external error/i.test(error.message)) throw error;
    const [first = ''] = error.message.split('\n');
    throw new SluiceError(
      'internal',
      `the vector store in ${folder} cannot do its work (${first.slice(0, 200)}): if this comes again after a restart, ` +
        'its files are damaged; restore the whole data folder from a backup',
      options,
    );
  }
}
