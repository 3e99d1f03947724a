import { afterAll } from 'vitest';
import { averageLength } from '../../services/ports/vector-store/qdrant/terms.js';
import { openQdrant, qdrantServer } from './qdrant-fixture.js';
import { describeVectorStoreContract } from './vector-store-contract.js';

const server = await qdrantServer();

if (server !== undefined) {
  describeVectorStoreContract(
    'qdrant',
    async () => ({ store: await openQdrant(server.url), remove: () => Promise.resolve() }),
    () => Promise.resolve(),
    // Deleted points count until the server next tidies the segment that they were in.
    { averageLength, approximateIdf: true },
  );

  afterAll(() => server.stop());
}
