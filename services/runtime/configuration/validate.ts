import type { TSchema } from '@sinclair/typebox';
import { Value, type ValueError } from '@sinclair/typebox/value';
import { allowed } from './allowed.js';
import type { Found } from './environment.js';
import type { Field } from './fields.js';
import { withInnerDefaults } from './inner-defaults.js';
import { suggestion } from './nearest-name.js';
import { isRecord, propertyOf, shapeOf, variantsOf } from './schema-shapes.js';
import { holdsSecret } from './secrets.js';

const inside = (pointer: string): string =>
  pointer.replace(/\/([^/]+)/g, (_, part: string) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`));

function shown(field: Field, value: unknown): string {
  if (holdsSecret(field.schema)) return 'has a value';
  const text = JSON.stringify(value);
  return `is ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`;
}

/** Keys that no variant of an object's schema names, as pointers; TypeBox itself lets them pass. */
function unknownKeys(schema: TSchema, value: unknown, pointer: string): { pointer: string; known: string[] }[] {
  const shapes = variantsOf(schema).map(shapeOf);
  if (Array.isArray(value)) {
    const items = shapes.find((shape) => shape.items !== undefined)?.items;
    if (items === undefined) return [];
    return value.flatMap((item: unknown, index) => unknownKeys(items, item, `${pointer}/${index}`));
  }
  if (!isRecord(value)) return [];
  const objects = shapes.filter((shape) => shape.type === 'object');
  if (objects.length === 0) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const property = objects.map((shape) => propertyOf(shape, name)).find((found) => found !== undefined);
    if (property !== undefined) return unknownKeys(property, part, `${pointer}/${name}`);
    return [{ pointer: `${pointer}/${name}`, known: objects.flatMap((shape) => Object.keys(shape.properties ?? {})) }];
  });
}

function errorText(field: Field, found: Found, error: ValueError): string {
  const where = `${field.path}${inside(error.path)} (from ${found.source})`;
  const words = allowed(error.schema);
  return error.value === undefined
    ? `${where} is missing: it must be ${words}`
    : `${where} ${shown(field, error.value)}, which is not allowed: it must be ${words}`;
}

/** The value of a setting with the defaults inside it, or undefined after noting what is wrong with it. */
export function validated(field: Field, found: Found, problems: string[]): unknown {
  const value = withInnerDefaults(field.schema, found.value);
  const unknown = unknownKeys(field.schema, value, '');
  for (const { pointer, known } of unknown) {
    const name = pointer.slice(pointer.lastIndexOf('/') + 1);
    problems.push(`${field.path}${inside(pointer)} (from ${found.source}) is no setting${suggestion(name, known)}`);
  }
  const errors = new Map<string, ValueError>();
  for (const error of Value.Errors(field.schema, value)) {
    if (!errors.has(error.path)) errors.set(error.path, error);
  }
  for (const error of errors.values()) problems.push(errorText(field, found, error));
  return errors.size + unknown.length > 0 ? undefined : value;
}
