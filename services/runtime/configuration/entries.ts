import type { TSchema } from '@sinclair/typebox';
import { textOf, valueOfText, type Environment, type Found } from './environment.js';
import { upperSnake, type Field } from './fields.js';
import { isMap, isRecord, shapeOf } from './schema-shapes.js';

/** What the environment says of single settings of a map's entries. */
interface Entries {
  /** By entry and setting. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly sources: readonly string[];
}

export type EntriesByPath = ReadonlyMap<string, Entries>;

/**
 * The variables that set one setting of one entry of a map: `SLUICE_EMBEDDING_MODELS_FAST_API_KEY` is `apiKey` of the entry
 * `fast` of `embedding.models`, and with `_FILE` behind it names a file that holds it. So a secret can come from the
 * environment while the rest of its entry stands in the file. Where two readings are possible the longest setting counts.
 */
export function entriesFromEnvironment(
  fields: readonly Field[],
  env: Environment,
  problems: string[],
): { readonly byPath: EntriesByPath; readonly variables: ReadonlySet<string> } {
  const fixed = new Set(fields.flatMap(({ variable }) => [variable, `${variable}_FILE`]));
  const byPath = new Map<string, Entries>();
  const variables = new Set<string>();
  for (const field of fields) {
    const settings = settingsOfEntries(field.schema);
    if (settings.length === 0) continue;
    const values = new Map<string, Map<string, unknown>>();
    const read = new Set<string>();
    const sources: string[] = [];
    for (const given of Object.keys(env).sort()) {
      if (fixed.has(given) || !given.startsWith(`${field.variable}_`)) continue;
      const variable = given.replace(/_FILE$/, '');
      const setting = settings.find(({ suffix }) => variable.endsWith(suffix));
      const entry = variable.slice(field.variable.length + 1, -(setting?.suffix.length ?? 0));
      if (setting === undefined || entry === '') continue;
      variables.add(given);
      if (read.has(variable)) continue;
      read.add(variable);
      const found = textOf(variable, env, problems);
      if (found === undefined) continue;
      sources.push(found.source);
      const name = entry.toLowerCase().replaceAll('_', '-');
      const settingsOfEntry = values.get(name) ?? new Map<string, unknown>();
      values.set(name, settingsOfEntry.set(setting.name, valueOfText(setting.schema, found.text)));
    }
    if (values.size > 0) byPath.set(field.path, { values, sources });
  }
  return { byPath, variables };
}

/** A map with what the environment says of its entries; other values, and maps of which it says nothing, as they are. */
export function withEntries(given: Found, entries: Entries | undefined): Found {
  if (entries === undefined || !(given.value === undefined || isRecord(given.value))) return given;
  const map: Record<string, unknown> = { ...given.value };
  for (const [name, settings] of entries.values) {
    const before = map[name];
    map[name] = { ...(isRecord(before) ? before : {}), ...Object.fromEntries(settings) };
  }
  const sources = [...(given.source === 'default' ? [] : [given.source]), ...entries.sources];
  return { value: map, source: sources.join(', ') };
}

/** The settings that an entry of the map can have, those with the longest names first; none where it is no map of objects. */
function settingsOfEntries(
  schema: TSchema,
): readonly { readonly name: string; readonly suffix: string; readonly schema: TSchema }[] {
  const shape = shapeOf(schema);
  const [entry] = isMap(shape) ? Object.values(shape.patternProperties ?? {}) : [];
  const properties = entry === undefined ? {} : (shapeOf(entry).properties ?? {});
  return Object.entries(properties)
    .map(([name, property]) => ({ name, suffix: `_${upperSnake(name)}`, schema: property }))
    .sort((a, b) => b.suffix.length - a.suffix.length);
}
