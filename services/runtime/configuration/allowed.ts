import type { TSchema } from '@sinclair/typebox';
import { isMap, shapeOf, variantsOf, type Shape } from './schema-shapes.js';

function range(shape: Shape): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  const bounds = [
    minimum === undefined ? '' : `at least ${minimum}`,
    exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    exclusiveMaximum === undefined ? '' : `below ${exclusiveMaximum}`,
  ].filter((bound) => bound !== '');
  return bounds.length === 0 ? '' : `, ${bounds.join(' and ')}`;
}

function allowedByOne(shape: Shape): string {
  switch (shape.type) {
    case 'integer':
      return `an integer${range(shape)}`;
    case 'number':
      return `a number${range(shape)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'string':
      if (shape.pattern !== undefined) return `text that matches ${shape.pattern}`;
      return (shape.minLength ?? 0) > 0 ? 'text that is not empty' : 'text';
    case 'array':
      return `a list, each ${shape.items === undefined ? 'anything' : allowed(shape.items)}`;
    case 'object':
      return isMap(shape)
        ? `a map of names to ${Object.values(shape.patternProperties ?? {})
            .map(allowed)
            .join(' or ')}`
        : `an object with ${Object.keys(shape.properties ?? {}).join(', ')}`;
    default:
      return 'any value';
  }
}

/** What a setting may be, in words: `an integer from 1 to 1000`, `"json" or "pretty"`. */
export function allowed(schema: TSchema): string {
  const shapes = variantsOf(schema).map(shapeOf);
  const literals = shapes.flatMap((shape) => shape.enum ?? ('const' in shape ? [shape.const] : []));
  const others = shapes.filter((shape) => shape.enum === undefined && !('const' in shape));
  const words = [...literals.map((literal) => JSON.stringify(literal)), ...new Set(others.map(allowedByOne))];
  const last = words.pop() ?? 'any value';
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`;
}
