import { Type } from '@sinclair/typebox';

export const postgresConfig = Type.Object({
  url: Type.String({
    description:
      'postgres://user:password@host:port/database of a PostgreSQL from release 15 on; TLS by ?sslmode=verify-full.',
    default: 'postgres://sluice@127.0.0.1:5432/sluice',
    pattern: '^postgres(ql)?://',
    secret: true,
  }),
  maxConnections: Type.Integer({
    description: 'The most connections of one process; further statements wait for one.',
    default: 8,
    minimum: 1,
    maximum: 1_000,
  }),
  statementTimeoutMs: Type.Integer({
    description: 'How long a statement may run, and a transaction may stand idle, before the server ends it.',
    default: 30_000,
    minimum: 100,
  }),
  connectTimeoutMs: Type.Integer({
    description: 'How long connecting, or waiting for a free connection, may take.',
    default: 10_000,
    minimum: 1,
  }),
});
