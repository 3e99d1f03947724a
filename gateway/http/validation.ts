import { Ajv, type ErrorObject, type Options } from 'ajv';
import { SluiceError } from '../../services/domain/errors.js';

const isoInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

const options: Options = {
  strict: true,
  strictTypes: false,
  verbose: true,
  formats: { 'date-time': (text: string) => isoInstant.test(text) && !Number.isNaN(Date.parse(text)) },
};

const exact = new Ajv(options);
/** Query strings are text: numbers, booleans and lists are read from it. */
const coercing = new Ajv({ ...options, coerceTypes: 'array' });

/** Returns what is wrong with a value, an invalid-argument error, or undefined. Coercing changes the value in place. */
export type Validator = (value: unknown) => SluiceError | undefined;

/** `what` names the value in errors: "the body". `coerce`: numbers, booleans and lists may be text, as in a query. */
export function validator(schema: object, what: string, coerce = false): Validator {
  const validate = (coerce ? coercing : exact).compile(schema);
  return (value) =>
    validate(value) ? undefined : new SluiceError('invalid-argument', describeErrors(validate.errors, what));
}

function describeErrors(errors: readonly ErrorObject[] | null | undefined, what: string): string {
  const error = errors?.at(-1);
  if (error === undefined) return `${what} is not as it should be`;
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  const subject = field === '' ? what : `${what}: ${field}`;
  return `${subject} ${complaint(error)}`;
}

function complaint({ keyword, params, message, parentSchema }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `has an unknown field ${JSON.stringify(params.additionalProperty)}`;
  if (keyword === 'required') return `has no field ${JSON.stringify(params.missingProperty)}`;
  if (keyword === 'anyOf') {
    const choices = constants(parentSchema);
    if (choices.length > 0) return `must be one of ${choices.join(', ')}`;
    return 'is of the wrong type';
  }
  if (keyword === 'format') return `must be a time such as 2025-01-31T12:00:00Z`;
  return message ?? 'is not as it should be';
}

function constants(schema: unknown): string[] {
  const { anyOf } = schema as { anyOf?: { const?: unknown }[] };
  return (anyOf ?? []).flatMap((choice) => (choice.const === undefined ? [] : [JSON.stringify(choice.const)]));
}
