import { UsageError } from '../usage-error.js';

export type AttributeValue = string | number | boolean | readonly (string | number | boolean)[];

/**
 * `--meta key=value` as typed attributes: true and false are booleans, numbers whose shortest writing is the one
 * given are numbers (`3`, `0.75`; but `007`, `7.10` and `1e5` stay the strings they are), a JSON list is a list, a
 * quoted value is the string inside, all else is a string. Throws UsageError that names the argument.
 */
export function parseAttributes(given: readonly string[]): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  for (const argument of given) {
    const equals = argument.indexOf('=');
    const key = argument.slice(0, Math.max(0, equals)).trim();
    if (equals < 0 || key === '') {
      throw new UsageError(`--meta ${JSON.stringify(argument)} is not key=value: write for example --meta year=2024`);
    }
    if (Object.hasOwn(attributes, key)) {
      throw new UsageError(`--meta gives "${key}" twice: give a list instead, --meta '${key}=["first","second"]'`);
    }
    Object.defineProperty(attributes, key, {
      value: parseValue(key, argument.slice(equals + 1).trim()),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return attributes;
}

function parseValue(key: string, text: string): AttributeValue {
  if (text === 'true') return true;
  if (text === 'false') return false;
  const number = Number(text);
  if (text !== '' && Number.isFinite(number) && String(number) === text) return number;
  if (!/^(?:\[.*\]|".*")$/su.test(text)) return text;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'string') return parsed;
    if (Array.isArray(parsed) && parsed.every(isScalar)) return parsed;
  } catch {
    // told below
  }
  throw new UsageError(
    `--meta ${key}=${text} is not a value: a list is JSON of strings, numbers and booleans, a quoted text JSON as well`,
  );
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
