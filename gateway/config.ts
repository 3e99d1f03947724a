import { Type, type Static } from '@sinclair/typebox';

const apiKey = Type.Object(
  {
    key: Type.String({ minLength: 16, description: 'The bearer token: at least 16 random characters.' }),
    workspace: Type.String({ description: 'The only workspace that the key may speak for.' }),
    where: Type.Optional(
      Type.String({ description: 'A filter on every read; a key that has one sees no counts and changes nothing.' }),
    ),
  },
  { additionalProperties: false },
);

export const gatewayConfig = Type.Object(
  {
    host: Type.String({
      default: '127.0.0.1',
      description: 'Address to listen on. Any but a loopback address needs apiKeys.',
    }),
    port: Type.Integer({
      default: 7300,
      minimum: 0,
      maximum: 65_535,
      description: 'Port to listen on; 0 takes a free one.',
    }),
    apiKeys: Type.Array(apiKey, {
      default: [],
      secret: true,
      description: 'Who may call. None: everybody on this machine, with every workspace.',
    }),
    maxUploadBytes: Type.Integer({
      default: 512 * 1024 * 1024,
      minimum: 1,
      description: 'The largest document that is taken in.',
    }),
    uploadIdleMs: Type.Integer({
      default: 60_000,
      minimum: 1,
      description: 'An upload that brings no byte for so long is given up.',
    }),
    maxBodyBytes: Type.Integer({
      default: 4 * 1024 * 1024,
      minimum: 1024,
      description: 'The largest JSON body and the largest WebSocket frame.',
    }),
    requestTimeoutMs: Type.Integer({
      default: 60_000,
      minimum: 1,
      maximum: 600_000,
      description: 'Deadline of a search or a question that names none.',
    }),
    maxWaitMs: Type.Integer({
      default: 600_000,
      minimum: 1,
      description: 'The longest that a call waits for its operation; the work goes on after.',
    }),
    heartbeatMs: Type.Integer({
      default: 15_000,
      minimum: 10,
      description: 'How often an open stream or socket without news shows that it lives.',
    }),
    maxRequestsPerSocket: Type.Integer({
      default: 256,
      minimum: 1,
      description: 'Requests in flight on one WebSocket.',
    }),
  },
  { additionalProperties: false },
);

export type GatewayConfig = Static<typeof gatewayConfig>;
