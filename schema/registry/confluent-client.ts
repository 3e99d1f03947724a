import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import avsc from 'avsc';
import { SluiceError } from '../../services/domain/errors.js';
import { arrayTypes } from '../arrays.js';
import { bearing } from './request-middleware.js';
import type { RegistryClient } from './registry-client.js';

const attempts = 5;
const firstWaitMs = 100;

export interface RegistryAccess {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly caFile: string;
  readonly timeoutMs: number;
}

interface SdkError {
  readonly name: string;
  readonly message: string;
  /** HTTP status; 400 when no answer came. */
  readonly status?: number;
}

/** A 404 of the registry itself; that of a proxy on the way says other things. */
const isMissing = ({ name, status, message }: SdkError): boolean =>
  (status === 404 || name === 'ConfluentSchemaRegistryError') &&
  /(schema|subject).*not found|does not match any schema/i.test(message);
/** Not when another process, which starts too, registered the same at the same moment. */
const isRefused = ({ name, status, message }: SdkError): boolean =>
  name === 'ConfluentSchemaRegistryCompatibilityError' ||
  ((status === 409 || status === 422) && !/already exists/i.test(message));

/** A registry that speaks Confluent's API, through @kafkajs/confluent-schema-registry. */
export function confluentClient(access: RegistryAccess): RegistryClient {
  const { url, username, password, token, caFile, timeoutMs } = access;
  const registry = new SchemaRegistry(
    {
      host: url.replace(/\/+$/, ''),
      clientId: 'sluice',
      retry: { retries: 0 }, // below, where failures without an answer are known
      ...(username !== '' && { auth: { username, password } }),
      ...(caFile !== '' && { agent: new Agent({ ca: readFileSync(caFile) }) }),
      middlewares: [bearing(token, timeoutMs)],
    },
    { [SchemaType.AVRO]: { typeHook: arrayTypes } },
  );

  /** The answer, or the error that says missing or refused; anything else is tried again for a moment. */
  async function ask<T>(what: string, request: () => Promise<T>): Promise<T | SdkError> {
    for (let round = 1; ; round++) {
      try {
        return await request();
      } catch (thrown) {
        if (!(thrown instanceof Error)) throw thrown;
        const error: SdkError = thrown;
        if (isMissing(error) || isRefused(error)) return error;
        if (error.status === undefined) throw thrown;
        if (round >= attempts) {
          throw new SluiceError('unavailable', `the schema registry at ${url} cannot ${what}: ${error.message}`, {
            cause: thrown,
          });
        }
      }
      await delay(Math.random() * firstWaitMs * 2 ** round);
    }
  }

  return {
    async register(subject, schema) {
      const answer = await ask(`register ${subject}`, async () => {
        const compatibility = COMPATIBILITY.FULL_TRANSITIVE;
        return await registry.register({ type: SchemaType.AVRO, schema }, { subject, compatibility });
      });
      return 'id' in answer ? answer.id : { refused: answer.message };
    },

    async lookUp(subject, schema) {
      const answer = await ask(`look up ${subject}`, () =>
        registry.getRegistryIdBySchema(subject, { type: SchemaType.AVRO, schema }),
      );
      return typeof answer === 'number' ? answer : undefined;
    },

    async find(id) {
      const answer = await ask(`give schema ${id}`, () => registry.getSchema(id));
      return answer instanceof avsc.Type ? answer : undefined;
    },
  };
}
