import avsc from 'avsc';
import { arrayTypes } from './arrays.js';
import { schemas, type Messages, type NewMessages } from './generated.js';

export type MessageName = keyof Messages;

/** Turns messages into bytes and back. Decoding may have to ask a registry, so it may be asynchronous. */
export interface Codec {
  /** Resolves when every message can be encoded: a registry codec registers its schemas here. */
  prepare(): Promise<void>;
  encode<N extends MessageName>(name: N, value: NewMessages[N]): Buffer;
  /** Throws UndecodableError for bytes that no retry will make readable. */
  decode<N extends MessageName>(name: N, bytes: Buffer): Messages[N] | Promise<Messages[N]>;
}

/** The bytes are not a message of the expected kind: too short, wrong magic, unknown schema, or cut off. */
export class UndecodableError extends Error {
  override readonly name = 'UndecodableError';
}

/** Parses schemas that may refer to one another, given in dependency order; vectors are Float32Arrays. */
export function parseSchemas(all: readonly { readonly name: string }[]): ReadonlyMap<string, avsc.Type> {
  const registry: Record<string, avsc.Type> = {};
  const parse = (schema: unknown): avsc.Type =>
    avsc.Type.forSchema(schema as avsc.Schema, { registry, namespace: 'sluice', typeHook: arrayTypes });
  return new Map(all.map((schema) => [schema.name, parse(schema)]));
}

/** Every message type of this build, by name. */
export const messageTypes = parseSchemas(schemas);

/** The type of a message that this build knows. */
export function messageType(name: MessageName): avsc.Type {
  const type = messageTypes.get(name);
  if (type === undefined) throw new Error(`no schema named ${name}`);
  return type;
}
