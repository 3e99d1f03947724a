import { describe, expect, it } from 'vitest';
import { messageTypes } from '../../schema/codec.js';

/** The attributes that Parsing Canonical Form keeps, in its order; values stand in for others' own rules. */
const order = ['name', 'type', 'fields', 'symbols', 'items', 'values', 'size'];

function problems(schema: unknown, path: string): string[] {
  if (typeof schema === 'string') return [];
  if (Array.isArray(schema)) return schema.flatMap((part, index) => problems(part, `${path}/${index}`));
  const attributes = Object.entries(schema as Record<string, unknown>);
  const places = attributes.map(([name]) => order.indexOf(name));
  const own = places.includes(-1) || places.some((place, index) => place < (places[index - 1] ?? -1)) ? [path] : [];
  return [
    ...own,
    ...attributes.flatMap(([name, value]) => (name === 'name' ? [] : problems(value, `${path}/${name}`))),
  ];
}

describe('the schema under a fingerprint', () => {
  it.each([...messageTypes])('of %s is in Parsing Canonical Form', (name, type) => {
    const schema = JSON.parse(JSON.stringify(type.schema())) as { name: string };
    expect(schema.name).toBe(`sluice.${name}`);
    expect(problems(schema, '')).toEqual([]);
  });
});
