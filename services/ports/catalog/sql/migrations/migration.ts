/** A step of the schema. Released ones are never edited: they expand first, and contract in a later release. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}
