import { SluiceError } from '../../../domain/errors.js';

/** Runs an operation of the engine; a full disk becomes storage-full. */
export async function guarded<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof Error && /no space left on device|os error 28|quota exceeded/i.test(error.message)) {
      throw new SluiceError('storage-full', 'no space is left where the vector store keeps its data: free some', {
        cause: error,
      });
    }
    throw error;
  }
}
