import type { TSchema } from '@sinclair/typebox';

/** The parts of a JSON Schema that settings use, read from any TypeBox schema. */
export interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly secret?: boolean;
}

export const shapeOf = (schema: TSchema): Shape => schema as Shape;

/** The alternatives of a schema: those of a union, or itself. */
export const variantsOf = (schema: TSchema): readonly TSchema[] =>
  shapeOf(schema).anyOf?.flatMap((variant) => variantsOf(variant)) ?? [schema];

/** Whether an object's keys are free, as in a map of names to things. */
export const isMap = (shape: Shape): boolean => shape.patternProperties !== undefined;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema of an object's property, or of a map's entries. */
export const propertyOf = (shape: Shape, name: string): TSchema | undefined =>
  shape.properties !== undefined && Object.hasOwn(shape.properties, name)
    ? shape.properties[name]
    : Object.values(shape.patternProperties ?? {})[0];
