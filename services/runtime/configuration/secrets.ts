import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { isRecord, propertyOf, shapeOf, variantsOf } from './schema-shapes.js';

const hidden = '•••';

/** Whether a setting is a secret or holds one. */
export function holdsSecret(schema: TSchema): boolean {
  return variantsOf(schema).some((variant) => {
    const { secret, items, properties, patternProperties } = shapeOf(variant);
    const parts = [...Object.values(properties ?? {}), ...Object.values(patternProperties ?? {})];
    return secret === true || (items !== undefined && holdsSecret(items)) || parts.some(holdsSecret);
  });
}

/** The value of a setting as it may be shown. */
export function withoutSecrets(schema: TSchema, value: unknown): unknown {
  if (value === undefined || !holdsSecret(schema)) return value;
  const variant = variantsOf(schema).find((candidate) => Value.Check(candidate, value));
  if (variant === undefined || shapeOf(schema).secret === true || shapeOf(variant).secret === true) return hidden;
  const shape = shapeOf(variant);
  if (Array.isArray(value)) {
    return value.map((item: unknown) => (shape.items === undefined ? item : withoutSecrets(shape.items, item)));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const property = propertyOf(shape, name);
      return [name, property === undefined ? part : withoutSecrets(property, part)];
    }),
  );
}
