import type { AttributeValue, Attributes } from '../../domain/attributes.js';

type Scalar = string | number | boolean;

/**
 * Front matter: `key: value` lines, the first colon divides. Numbers, booleans, `[a, b]` and `- a` lists keep their
 * types, quotes make a string; keys indented below a key without a value are `outer.inner`; `|` and `>` take the
 * indented lines below as text. Empty values, comments and lines without a colon say nothing. Undefined if nothing
 * in it is a key: then it is no front matter.
 */
export function parseFrontMatter(lines: readonly string[]): Attributes | undefined {
  const found = new Map<string, AttributeValue>();
  let keys = 0;
  let index = 0;
  while (index < lines.length) {
    const line = lines[index++] ?? '';
    const entry = keyAndValue(line);
    if (entry === undefined) continue;
    keys++;
    const below: string[] = [];
    while (index < lines.length && belongsTo(lines[index] ?? '', line)) below.push(lines[index++] ?? '');
    for (const [key, value] of valuesOf(entry.key, entry.value, below)) found.set(key, value);
  }
  if (keys === 0 && lines.some((line) => line.trim() !== '')) return undefined;
  return Object.fromEntries(found);
}

function keyAndValue(line: string): { readonly key: string; readonly value: string } | undefined {
  const colon = line.indexOf(':');
  const key = unquoted(line.slice(0, colon).trim());
  if (colon < 1 || key === '' || /^\s*#/.test(line) || /^\s*-\s/.test(line)) return undefined;
  return { key, value: line.slice(colon + 1).trim() };
}

const indent = (line: string): number => line.length - line.trimStart().length;

const belongsTo = (line: string, key: string): boolean =>
  line.trim() === '' || indent(line) > indent(key) || (indent(line) === indent(key) && /^\s*-\s/.test(line));

function valuesOf(key: string, value: string, below: readonly string[]): (readonly [string, AttributeValue])[] {
  if (/^[|>][-+]?$/.test(value)) {
    const text = below.map((line) => line.trim()).join(value.startsWith('|') ? '\n' : ' ');
    return text.trim() === '' ? [] : [[key, text.trim()]];
  }
  if (value !== '') {
    const parsed = parseValue(value);
    return parsed === undefined ? [] : [[key, parsed]];
  }
  const items = below.filter((line) => /^\s*-\s/.test(line)).map((line) => scalar(line.trim().slice(1).trim()));
  if (items.length > 0) return [[key, items.filter((item) => item !== undefined)]];
  const inner = parseFrontMatter(below.filter((line) => line.trim() !== '')) ?? {};
  return Object.entries(inner).map(([name, attribute]) => [`${key}.${name}`, attribute] as const);
}

function parseValue(value: string): AttributeValue | undefined {
  const comment = value.search(/\s#/);
  // A comment after a value is only one if it leaves a value that is more than words.
  if (comment > 0 && /^(?:\[.*\]|".*"|'.*'|[\d.+-]+|true|false)$/.test(value.slice(0, comment).trim())) {
    return parseValue(value.slice(0, comment).trim());
  }
  if (!value.startsWith('[') || !value.endsWith(']')) return scalar(value);
  return [...value.slice(1, -1).matchAll(/\s*("[^"]*"|'[^']*'|[^,]+)/g)]
    .map(([, item = '']) => scalar(item.trim()))
    .filter((item) => item !== undefined);
}

function scalar(value: string): Scalar | undefined {
  const plain = unquoted(value);
  if (plain !== value) return plain;
  if (value === '' || value === 'null' || value === '~') return undefined;
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) {
    const number = Number(value);
    if (Number.isFinite(number) && (!/^-?\d+$/.test(value) || Number.isSafeInteger(number))) return number;
  }
  return value;
}

const unquoted = (value: string): string => /^(?:"(.*)"|'(.*)')$/s.exec(value)?.slice(1).join('') ?? value;
