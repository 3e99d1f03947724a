import { Type } from '@sinclair/typebox';

/** How a server that speaks OpenAI's API is reached: what every model behind one has in its settings. */
export const endpointProperties = {
  baseUrl: Type.String({
    description: 'Where the server speaks OpenAI’s API, for example https://api.openai.com/v1.',
    pattern: '^https?://.+',
  }),
  apiKey: Type.String({
    description: 'Sent as a bearer token. Empty: none is sent.',
    default: '',
    secret: true,
  }),
  timeoutMs: Type.Integer({
    description: 'How long the server may say nothing before the call counts as failed.',
    default: 60_000,
    minimum: 1,
    maximum: 290_000, // the HTTP client gives up at 300 s by itself
  }),
} as const;

export interface Endpoint {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
}

/** Names of models in the configuration; the environment names their settings in upper case, with `_` for `-`. */
export const modelName = Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' });
