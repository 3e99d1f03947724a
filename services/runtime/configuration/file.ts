import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import type { Found } from './environment.js';
import type { Field } from './fields.js';
import { suggestion } from './nearest-name.js';
import { isRecord } from './schema-shapes.js';

function read(file: string, problems: string[]): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    problems.push(`the configuration file cannot be read: ${(error as Error).message}`);
    return undefined;
  }
  const lineCounter = new LineCounter();
  // No pretty errors: they would print the lines around, which may hold a secret.
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  for (const { message, pos } of document.errors) {
    problems.push(`${file}, line ${lineCounter.linePos(pos[0]).line}: ${message}`);
  }
  return document.errors.length > 0 ? undefined : document.toJS();
}

/** The settings that a YAML file gives, by path: sections at the top, their fields below. */
export function fromFile(fields: readonly Field[], file: string, problems: string[]): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  const content = read(file, problems) ?? {};
  if (!isRecord(content)) {
    problems.push(`${file} must be a mapping of section names`);
    return found;
  }
  const sections = new Set(fields.map(({ section }) => section));
  const byPath = new Map(fields.map((field) => [field.path, field]));
  for (const [section, settings] of Object.entries(content)) {
    if (!sections.has(section)) {
      problems.push(`${file}: there is no section ${section}${suggestion(section, sections)}`);
    } else if (isRecord(settings)) {
      for (const [name, value] of Object.entries(settings)) {
        const path = `${section}.${name}`;
        if (!byPath.has(path)) problems.push(`${file}: there is no setting ${path}${suggestion(path, byPath.keys())}`);
        else if (value !== null) found.set(path, { value, source: file });
      }
    } else if (settings !== null) {
      problems.push(`${file}: section ${section} must be a mapping of its settings`);
    }
  }
  return found;
}
