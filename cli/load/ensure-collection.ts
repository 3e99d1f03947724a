import { SluiceApiError, type Collection, type CreateCollection, type SluiceApi } from '../../gateway/client/client.js';

/** The collection to load into; made if it is not there, and then `notice` says what it was pinned to. */
export async function ensureCollection(
  client: SluiceApi,
  wanted: CreateCollection,
  signal: AbortSignal,
): Promise<{ readonly collection: Collection; readonly notice?: string }> {
  try {
    return { collection: await client.getCollection(wanted.collection, { signal }) };
  } catch (error) {
    if (!(error instanceof SluiceApiError) || error.status !== 404) throw error;
  }
  try {
    const { notice, ...collection } = await client.createCollection(wanted, { signal });
    return { collection, notice };
  } catch (error) {
    // Another load was faster.
    if (!(error instanceof SluiceApiError) || error.code !== 'collection-exists') throw error;
    return { collection: await client.getCollection(wanted.collection, { signal }) };
  }
}
