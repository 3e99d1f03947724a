import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { createS3BlobStore } from '../../services/ports/blob-store/s3/s3.js';
import { s3Config } from '../../services/ports/blob-store/s3/s3-config.js';
import { s3Credentials, startS3 } from '../stack/s3.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { describeBlobStoreContract } from './blob-store-contract.js';

const folder = await mkdtemp(path.join(tmpdir(), 'sluice-s3-'));
const server = await startOrSkip('an S3 server', () => startS3(folder));

if (server !== undefined) {
  describeBlobStoreContract('s3', async () => ({
    store: await createS3BlobStore({
      ...Value.Create(s3Config),
      ...{ endpoint: server.url, ...s3Credentials, prefix: 'shared/' },
    }),
    remove: async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  }));
}
