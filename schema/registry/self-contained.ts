interface NamedSchema {
  readonly name: string;
  readonly [key: string]: unknown;
}

/**
 * Each schema with the definitions of what it refers to in it, each where it is first named. Given in dependency order,
 * by name. So every schema stands for itself in a registry: references between subjects would tie the version of one
 * message to that of another, and not every registry and client takes them.
 */
export function selfContained<N extends string>(
  all: readonly (NamedSchema & { readonly name: N })[],
): ReadonlyMap<N, NamedSchema> {
  const definitions = new Map<string, NamedSchema>(all.map((schema) => [schema.name, schema]));
  const collect = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if ('name' in schema && 'fields' in schema) definitions.set(String(schema.name), schema as NamedSchema);
    Object.values(schema).forEach(collect);
  };
  all.forEach(collect);

  return new Map(
    all.map((root): [N, NamedSchema] => {
      const defined = new Set<string>();
      const written = (schema: unknown): unknown => {
        if (Array.isArray(schema)) return schema.map(written);
        if (typeof schema === 'string') {
          const definition = definitions.get(schema);
          return definition === undefined || defined.has(schema) ? schema : written(definition);
        }
        const { name, type, items, fields } = schema as Readonly<Record<string, unknown>>;
        if (type !== 'record') return items === undefined ? schema : { ...(schema as object), items: written(items) };
        if (defined.has(String(name))) return name;
        defined.add(String(name));
        const parts = (fields as readonly { readonly type: unknown }[]).map((field) => ({
          ...field,
          type: written(field.type),
        }));
        return { ...(schema as object), fields: parts };
      };
      return [root.name, written(root) as NamedSchema];
    }),
  );
}

/** A schema as it is registered. Apicurio takes the text `"{}"`, of a default, for a sign that it is no Avro. */
export const schemaText = (schema: NamedSchema): string => JSON.stringify(schema).replaceAll('"{}"', '"\\u007b}"');
