import type { TObject, TSchema } from '@sinclair/typebox';

/** The sections of a configuration, by name; a processor's section bears its name. */
export type Sections = Readonly<Record<string, TObject>>;

/** One setting as it is declared. */
export interface Field {
  readonly section: string;
  readonly name: string;
  /** `<section>.<name>`: how the file and messages name it. */
  readonly path: string;
  /** The environment variable that sets it; with `_FILE` after it, the variable that names a file to read it from. */
  readonly variable: string;
  readonly schema: TSchema;
  readonly description: string;
  readonly required: boolean;
}

/** `maxItems` and `max-items` to `MAX_ITEMS`. */
export const upperSnake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();

/** `SLUICE_<SECTION>_<FIELD>`. */
const variableOf = (section: string, field: string): string => `SLUICE_${upperSnake(section)}_${upperSnake(field)}`;

/** Every setting of `sections`, in the order of declaration. Throws where a declaration is incomplete or ambiguous. */
export function declaredFields(sections: Sections): readonly Field[] {
  const fields = Object.entries(sections).flatMap(([section, schema]) =>
    Object.entries(schema.properties).map(([name, property]): Field => {
      const path = `${section}.${name}`;
      if (property.description === undefined) throw new Error(`setting ${path} is declared without a description`);
      const required = (schema.required ?? []).includes(name) && property.default === undefined;
      const variable = variableOf(section, name);
      return { section, name, path, variable, schema: property, description: property.description, required };
    }),
  );
  const taken = new Map<string, string>();
  for (const { path, variable } of fields) {
    for (const name of [variable, `${variable}_FILE`]) {
      const other = taken.get(name);
      if (other !== undefined) throw new Error(`settings ${other} and ${path} would both be read from ${name}`);
      taken.set(name, path);
    }
  }
  return fields;
}
