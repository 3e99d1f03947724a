import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { isRecord, propertyOf, shapeOf, variantsOf } from './schema-shapes.js';

/** A copy of `value` in which objects, at any depth and in lists and maps too, have the defaults they left out. */
export function withInnerDefaults(schema: TSchema, value: unknown): unknown {
  if (value === undefined) return structuredClone(schema.default as unknown);
  const variants = variantsOf(schema);
  const fitting = variants.find((variant) => Value.Check(variant, filled(variant, value)));
  return filled(fitting ?? variants[0] ?? schema, value);
}

function filled(schema: TSchema, value: unknown): unknown {
  const shape = shapeOf(schema);
  if (Array.isArray(value)) {
    return value.map((item: unknown) => (shape.items === undefined ? item : withInnerDefaults(shape.items, item)));
  }
  if (!isRecord(value) || shape.type !== 'object') return value;
  const names = new Set([...Object.keys(value), ...Object.keys(shape.properties ?? {})]);
  const entries = [...names].map((name): [string, unknown] => {
    const property = propertyOf(shape, name);
    return [name, property === undefined ? value[name] : withInnerDefaults(property, value[name])];
  });
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined));
}
