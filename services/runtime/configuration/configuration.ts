import type { Static } from '@sinclair/typebox';
import { SluiceError } from '../../domain/errors.js';
import { entriesFromEnvironment, withEntries } from './entries.js';
import { fileVariable, fromEnvironment, valueOfText, type Environment, type Found } from './environment.js';
import { declaredFields, type Field, type Sections } from './fields.js';
import { fromFile } from './file.js';
import { suggestion } from './nearest-name.js';
import { withoutSecrets } from './secrets.js';
import { validated } from './validate.js';

export interface ConfigurationSources {
  readonly env: Environment;
  /** Path of a YAML file; else `SLUICE_CONFIG` may name one. */
  readonly file?: string | undefined;
  /** Settings given by the caller, such as command line flags: they win over everything else. */
  readonly overrides?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** `SLUICE_*` variables that mean something to others, such as the client. */
  readonly otherVariables?: readonly string[];
}

/** A setting as a person sees it: secrets are dots. `value` is undefined where nothing is set and nothing is default. */
export interface ConfiguredField {
  readonly section: string;
  readonly name: string;
  readonly variable: string;
  readonly description: string;
  readonly default: unknown;
  readonly value: unknown;
  /** `default`, `override`, the variable, or the file. */
  readonly source: string;
}

export interface Configuration<S extends Sections> {
  section<N extends keyof S>(name: N): Static<S[N]>;
  fields(): readonly ConfiguredField[];
}

function fromOverrides(
  fields: readonly Field[],
  overrides: NonNullable<ConfigurationSources['overrides']>,
  problems: string[],
): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  const known = new Map(fields.map((field) => [field.path, field.schema]));
  for (const [section, settings] of Object.entries(overrides)) {
    for (const [name, value] of Object.entries(settings)) {
      const path = `${section}.${name}`;
      const schema = known.get(path);
      if (schema === undefined) problems.push(`there is no setting ${path}${suggestion(path, known.keys())}`);
      else if (typeof value === 'string') found.set(path, { value: valueOfText(schema, value), source: 'override' });
      else if (value !== undefined) found.set(path, { value, source: 'override' });
    }
  }
  return found;
}

function invalid(problems: readonly string[]): SluiceError {
  const text =
    problems.length === 1
      ? `the configuration is invalid: ${problems.join('')}`
      : `the configuration has ${problems.length} problems:\n${problems.map((problem) => `- ${problem}`).join('\n')}`;
  return new SluiceError('configuration-invalid', text);
}

/**
 * Reads every setting: overrides, then environment (`SLUICE_<SECTION>_<FIELD>`, or the file that
 * `SLUICE_<SECTION>_<FIELD>_FILE` names), then the YAML file, then defaults; single settings in maps of named things from
 * the environment are laid over whichever it is. Throws one `configuration-invalid` that
 * names all problems: unknown names with the nearest known one, bad values with what is allowed and where they are from.
 */
export function loadConfiguration<const S extends Sections>(
  sections: S,
  { env, file, overrides = {}, otherVariables = [] }: ConfigurationSources,
): Configuration<S> {
  const fields = declaredFields(sections);
  const problems: string[] = [];
  const path = file ?? env[fileVariable] ?? '';
  const entries = entriesFromEnvironment(fields, env, problems);
  const sources = [
    fromOverrides(fields, overrides, problems),
    fromEnvironment(fields, env, new Set([...otherVariables, ...entries.variables]), problems),
    path === '' ? new Map<string, Found>() : fromFile(fields, path, problems),
  ];
  const values = new Map<string, Record<string, unknown>>(Object.keys(sections).map((name) => [name, {}]));
  const configured = fields.map((field): ConfiguredField => {
    const { section, name, variable, description, schema } = field;
    const found = sources.map((source) => source.get(field.path)).find((entry) => entry !== undefined);
    const given = withEntries(
      found ?? { value: schema.default as unknown, source: 'default' },
      entries.byPath.get(field.path),
    );
    if (given.value === undefined) {
      if (field.required) problems.push(`${field.path} is not set: set ${variable}, or ${field.path} in the file`);
      return { section, name, variable, description, default: undefined, value: undefined, source: 'default' };
    }
    const value = validated(field, given, problems);
    const settings = values.get(section);
    if (settings !== undefined) settings[name] = value;
    return {
      ...{ section, name, variable, description, source: given.source },
      default: withoutSecrets(schema, schema.default),
      value: withoutSecrets(schema, value),
    };
  });
  if (problems.length > 0) throw invalid(problems);
  return {
    section: (name) => values.get(String(name)) as Static<S[typeof name]>,
    fields: () => configured,
  };
}
