import type avsc from 'avsc';

/** What the registry answered to a schema that it does not take. */
export interface Refusal {
  readonly refused: string;
}

/** The operations of a schema registry that the codec uses. What cannot be reached throws SluiceError unavailable. */
export interface RegistryClient {
  /** Registers under FULL_TRANSITIVE compatibility. Returns the schema's id. */
  register(subject: string, schema: string): Promise<number | Refusal>;
  /** The id of exactly this schema under the subject; undefined when it is not there. */
  lookUp(subject: string, schema: string): Promise<number | undefined>;
  /** The Avro type of an id; undefined when no schema, or one of another kind, has it. */
  find(id: number): Promise<avsc.Type | undefined>;
}
