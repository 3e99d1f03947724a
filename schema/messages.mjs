// Reads messages/*.avsc.
import { readdirSync, readFileSync } from 'node:fs';

const here = new URL('./', import.meta.url);
const parsed = readdirSync(new URL('messages/', here))
  .filter((name) => name.endsWith('.avsc'))
  .sort()
  .map((name) => JSON.parse(readFileSync(new URL(`messages/${name}`, here), 'utf8')));
const roots = new Map(parsed.map((schema) => [schema.name, schema]));

/** Every named record by name, each after the records it refers to. */
export function recordSchemas() {
  const done = new Map();
  const visit = (schema) => {
    if (typeof schema === 'string') {
      if (roots.has(schema) && !done.has(schema)) visit(roots.get(schema));
    } else if (Array.isArray(schema)) schema.forEach(visit);
    else if (schema.type === 'record') {
      schema.fields.forEach((field) => visit(field.type));
      done.set(schema.name, schema);
    } else if (schema.type === 'array') visit(schema.items);
    else if (schema.type === 'map') visit(schema.values);
  };
  [...roots.keys()].sort().forEach(visit);
  return done;
}

/** The schema of every file, each after those it refers to. */
export const messageSchemas = () => [...recordSchemas().keys()].flatMap((name) => roots.get(name) ?? []);
