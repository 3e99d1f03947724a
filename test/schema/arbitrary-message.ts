import fc from 'fast-check';
import { schemas } from '../../schema/generated.js';

type Schema = string | readonly Schema[] | { readonly type: Schema; readonly [key: string]: unknown };

const named = new Map<string, Schema>();
const collect = (schema: Schema): void => {
  if (typeof schema === 'string') return;
  if (Array.isArray(schema)) schema.forEach(collect);
  else if ('type' in schema) {
    if (schema.type === 'record') {
      named.set(String(schema['name']), schema);
      for (const field of schema['fields'] as { type: Schema }[]) collect(field.type);
    } else if (schema.type === 'array') collect(schema['items'] as Schema);
  }
};
schemas.forEach((schema) => collect(schema as unknown as Schema));

const primitives: Record<string, fc.Arbitrary<unknown>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  long: fc.integer({ min: -(2 ** 52), max: 2 ** 52 }), // avsc gets numbers below wrong; ours are counts and times
  int: fc.integer(),
  float: fc.float(),
  double: fc.double(),
  string: fc.string({ unit: 'grapheme', maxLength: 30 }),
  bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
};

function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  if (typeof schema === 'string') {
    const known = primitives[schema] ?? (named.has(schema) ? arbitraryOf(named.get(schema) ?? 'null') : undefined);
    if (known === undefined) throw new Error(`no arbitrary for ${schema}`);
    return known;
  }
  if (Array.isArray(schema)) return fc.oneof(...schema.map(arbitraryOf));
  if (!('type' in schema)) throw new Error('a schema without type');
  if (schema.type === 'record') {
    const fields = schema['fields'] as { name: string; type: Schema }[];
    return fc.record(Object.fromEntries(fields.map(({ name, type }) => [name, arbitraryOf(type)])), {
      noNullPrototype: true,
    });
  }
  if (schema.type === 'array') {
    if (schema['items'] === 'float') return fc.float32Array({ maxLength: 40 });
    return fc.array(arbitraryOf(schema['items'] as Schema), { maxLength: 4 });
  }
  return arbitraryOf(schema.type);
}

/** Any message of this name, complete. */
export const arbitraryMessage = (name: string): fc.Arbitrary<object> => arbitraryOf(name) as fc.Arbitrary<object>;
