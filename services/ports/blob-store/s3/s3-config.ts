import { Type } from '@sinclair/typebox';

const mebibyte = 1 << 20;

export const s3Config = Type.Object({
  endpoint: Type.String({
    description:
      'The URL of an S3-compatible server, such as http://garage:3900 or https://minio.example.com. Empty: AWS, in the region named.',
    default: '',
    pattern: '^(https?://[^ ]+)?$',
  }),
  region: Type.String({
    description: 'The region that requests are signed for; servers other than AWS name theirs in their configuration.',
    default: 'us-east-1',
    minLength: 1,
  }),
  bucket: Type.String({ description: 'The bucket that holds the blobs.', default: 'sluice', minLength: 1 }),
  prefix: Type.String({
    description: 'What every key in the bucket starts with, such as sluice/, when the bucket holds other things too.',
    default: '',
    pattern: '^([A-Za-z0-9][A-Za-z0-9._-]*/)*$',
  }),
  createBucket: Type.Boolean({
    description: 'Whether a bucket that does not exist is created at the start.',
    default: false,
  }),
  accessKeyId: Type.String({
    description: 'The id of the access key. Empty: what the AWS SDK finds (environment, profile, role of the machine).',
    default: '',
  }),
  secretAccessKey: Type.String({ description: 'The secret of the access key.', default: '', secret: true }),
  forcePathStyle: Type.Boolean({
    description: 'Whether the bucket stands in the path of URLs, as most servers want it, not in the host name.',
    default: true,
  }),
  partBytes: Type.Integer({
    description:
      'The size of the parts of streamed uploads. Up to three are in memory for each; an upload has at most 10,000.',
    default: 8 * mebibyte,
    minimum: 5 * mebibyte,
    maximum: 1_024 * mebibyte,
  }),
  maxConnections: Type.Integer({
    description: 'The most connections to the server; further requests wait for one.',
    default: 64,
    minimum: 1,
    maximum: 10_000,
  }),
  connectTimeoutMs: Type.Integer({
    description: 'How long connecting may take.',
    default: 5_000,
    minimum: 1,
  }),
  idleTimeoutMs: Type.Integer({
    description: 'How long a request may go without a byte sent or received.',
    default: 30_000,
    minimum: 1,
  }),
  maxAttempts: Type.Integer({
    description:
      'How often a request is tried before it counts as failed; waits grow from 0.2 s to 10 s and follow Retry-After.',
    default: 5,
    minimum: 1,
    maximum: 100,
  }),
});
