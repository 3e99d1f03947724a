import { Type } from '@sinclair/typebox';

const mebibyte = 1 << 20;

export const qdrantConfig = Type.Object({
  url: Type.String({
    description:
      'The URL of a Qdrant server, 1.16 or newer, such as http://qdrant:6333 or https://example.com:443/qdrant. Without a port: 6333.',
    default: 'http://127.0.0.1:6333',
    pattern: '^https?://[^ ]+$',
  }),
  apiKey: Type.String({ description: 'The API key, if the server wants one.', default: '', secret: true }),
  caFile: Type.String({
    description:
      'A file with certificates (PEM) to trust for HTTPS instead of those that Node trusts, for a server with a certificate of its own.',
    default: '',
  }),
  prefix: Type.String({
    description: "What the names of Sluice's collections on the server start with.",
    default: 'sluice-',
    pattern: '^[A-Za-z0-9._-]{1,100}$',
  }),
  timeoutMs: Type.Integer({ description: 'How long one request may take.', default: 30_000, minimum: 1 }),
  maxAttempts: Type.Integer({
    description:
      'How often a request is tried before it counts as failed; waits grow from 0.1 s to 5 s and follow Retry-After.',
    default: 5,
    minimum: 1,
    maximum: 100,
  }),
  maxRetryAfterMs: Type.Integer({
    description: 'The longest Retry-After that is waited for; with a longer one the request counts as failed at once.',
    default: 30_000,
    minimum: 0,
  }),
  upsertStreams: Type.Integer({
    description: 'How many batches of points are under way at once per embedding space.',
    default: 3,
    minimum: 1,
    maximum: 64,
  }),
  maxPointsPerBatch: Type.Integer({
    description: 'The most points of one upsert.',
    default: 256,
    minimum: 1,
    maximum: 10_000,
  }),
  maxBytesPerBatch: Type.Integer({
    description: 'The most bytes of one upsert. The server takes 32 MiB.',
    default: 8 * mebibyte,
    minimum: 1,
    maximum: 30 * mebibyte,
  }),
  hnswM: Type.Integer({
    description:
      'Edges per node of the graph over all vectors of a space, set when it is first written. Every search is within one collection, so that graph is of no use: 0 leaves it out.',
    default: 0,
    minimum: 0,
  }),
  hnswPayloadM: Type.Integer({
    description:
      'Edges per node of the graphs over the vectors of one workspace or collection, set when a space is first written.',
    default: 16,
    minimum: 0,
  }),
  hnswEfConstruct: Type.Integer({
    description:
      'Neighbours considered when a graph is built, set when a space is first written: more find more and take longer.',
    default: 100,
    minimum: 4,
  }),
  hnswEfSearch: Type.Integer({
    description: 'Neighbours considered by a search: more find more and take longer.',
    default: 128,
    minimum: 1,
  }),
  hnswOnDisk: Type.Boolean({
    description: 'Whether the graphs are read from disk, not memory, set when a space is first written.',
    default: false,
  }),
  fullScanThresholdKb: Type.Integer({
    description:
      'A search over no more kilobytes of vectors than this compares every vector, set when a space is first written.',
    default: 10_000,
    minimum: 10,
  }),
  quantisation: Type.Union([Type.Literal('none'), Type.Literal('scalar'), Type.Literal('binary')], {
    description:
      'Whether vectors are also kept in short form, in memory: scalar (a byte per dimension) or binary (a bit), set when a space is first written. The best of a search are compared with the whole vectors.',
    default: 'none',
  }),
  onDisk: Type.Boolean({
    description: 'Whether vectors are read from disk, not memory, set when a space is first written.',
    default: false,
  }),
  shardNumber: Type.Integer({
    description: 'Shards of a space in a cluster, set when it is first written. 0: as the server says.',
    default: 0,
    minimum: 0,
  }),
  replicationFactor: Type.Integer({
    description: 'Copies of every shard, set when a space is first written. 0: as the server says.',
    default: 0,
    minimum: 0,
  }),
});
