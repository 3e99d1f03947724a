/** A version's metadata as its author wrote it: numbers, booleans and lists keep their types. */
export type AttributeValue = string | number | boolean | readonly (string | number | boolean)[];
export type Attributes = Readonly<Record<string, AttributeValue>>;
