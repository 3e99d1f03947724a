import { readFileSync } from 'node:fs';
import type { TSchema } from '@sinclair/typebox';
import type { Field } from './fields.js';
import { suggestion } from './nearest-name.js';
import { shapeOf, variantsOf } from './schema-shapes.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value as it was found, and where. */
export interface Found {
  readonly value: unknown;
  readonly source: string;
}

const prefix = 'SLUICE_';
/** Read by tests and by whoever starts the server, not settings of it. */
const testPrefix = 'SLUICE_TEST_';
/** Names the YAML file. */
export const fileVariable = 'SLUICE_CONFIG';

/** Text as the value that the schema asks for: numbers, true and false, JSON for lists and objects. */
export function valueOfText(schema: TSchema, text: string): unknown {
  const types = new Set(variantsOf(schema).map((variant) => shapeOf(variant).type));
  const trimmed = text.trim();
  if ((types.has('integer') || types.has('number')) && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) {
    return Number(trimmed);
  }
  if (types.has('boolean') && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (types.has('null') && trimmed === 'null') return null;
  if (types.has('array') || types.has('object') || types.has(undefined)) {
    try {
      return JSON.parse(trimmed) as unknown;
    } catch {
      return text;
    }
  }
  return text;
}

/** The text of a variable, or of the file that its `_FILE` form names. */
export function textOf(
  variable: string,
  env: Environment,
  problems: string[],
): { readonly text: string; readonly source: string } | undefined {
  const direct = env[variable];
  const fileName = env[`${variable}_FILE`];
  // Empty counts as not set: that is what `X=${Y:-}` in a compose file means.
  if (direct !== undefined && direct !== '') {
    if (fileName === undefined || fileName === '') return { text: direct, source: variable };
    problems.push(`${variable} and ${variable}_FILE are both set: unset one of them`);
    return undefined;
  }
  if (fileName === undefined || fileName === '') return undefined;
  try {
    const text = readFileSync(fileName, 'utf8').replace(/\r?\n$/, '');
    return { text, source: `${variable}_FILE (${fileName})` };
  } catch (error) {
    problems.push(`${variable}_FILE names a file that cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

/** The settings that the environment gives, by path; variables that mean nothing are problems. */
export function fromEnvironment(
  fields: readonly Field[],
  env: Environment,
  otherVariables: ReadonlySet<string>,
  problems: string[],
): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  for (const field of fields) {
    const entry = textOf(field.variable, env, problems);
    if (entry !== undefined) {
      found.set(field.path, { value: valueOfText(field.schema, entry.text), source: entry.source });
    }
  }
  const own = new Set([fileVariable, ...fields.flatMap(({ variable }) => [variable, `${variable}_FILE`])]);
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith(prefix) || name.startsWith(testPrefix)) continue;
    if (own.has(name) || otherVariables.has(name) || (env[name] ?? '') === '') continue;
    problems.push(`the environment variable ${name} is no setting of Sluice${suggestion(name, own)}`);
  }
  return found;
}
