import type { SchemaRegistry } from '@kafkajs/confluent-schema-registry';

type Access = ConstructorParameters<typeof SchemaRegistry>[0];
type Middleware = NonNullable<Access['middlewares']>[number];

/** What every request to the registry carries: a time-out, which the SDK has none of, and a token if there is one. */
export function bearing(token: string, timeoutMs: number): Middleware {
  return () => ({
    async prepareRequest(next) {
      const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
      return (await next()).enhance({ timeout: timeoutMs, headers });
    },
  });
}
