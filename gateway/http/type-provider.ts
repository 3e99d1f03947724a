import type { Static, TSchema } from '@sinclair/typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Call } from '../operations/context.js';

/** Handlers get the types that their route's schemas state. */
export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>;

declare module 'fastify' {
  interface FastifyRequest {
    /** For whom the request is handled, until when. Set before any handler runs. */
    call: Call;
  }

  interface FastifyContextConfig {
    /** Whoever reaches the server may read it: health, the API's own description. */
    public?: boolean;
  }
}
