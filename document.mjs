// Writes what the documentation repeats of the code between its markers: the error table and every setting.
// `npm run docs` builds first; `node document.mjs --check` fails when a committed file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { errorTable } from './dist/services/domain/errors.js';
import { allowed } from './dist/services/runtime/configuration/allowed.js';
import { declaredFields } from './dist/services/runtime/configuration/fields.js';
import { holdsSecret } from './dist/services/runtime/configuration/secrets.js';
import { allSections } from './dist/services/sections.js';

const cell = (text) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
const code = (value) => `\`${cell(typeof value === 'string' ? value || '""' : JSON.stringify(value))}\``;
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function errors() {
  const rows = Object.entries(errorTable).map(([name, entry]) => [
    code(name),
    entry.class,
    entry.retryable ? 'yes' : 'no',
    String(entry.httpStatus),
    cell(entry.meaning),
  ]);
  return table(['code', 'class', 'retry may help', 'HTTP status', 'meaning'], rows);
}

function settings() {
  const sections = allSections();
  const fields = declaredFields(sections);
  return Object.entries(sections)
    .filter(([, { properties }]) => Object.keys(properties).length > 0)
    .map(([section, { description }]) => {
      const rows = fields
        .filter((field) => field.section === section)
        .map(({ name, variable, schema, description: text, required }) => {
          const examples = (schema.examples ?? []).map((example) => ` Example: ${code(example)}.`).join('');
          const secret = holdsSecret(schema) ? ' Secret.' : '';
          const byDefault = schema.default === undefined ? (required ? 'required' : 'none') : code(schema.default);
          return [code(name), code(variable), byDefault, cell(allowed(schema)), cell(text) + secret + examples];
        });
      const head = ['setting', 'variable', 'default', 'allowed', 'meaning'];
      return `### ${section}\n\n${description ? `${description}\n\n` : ''}${table(head, rows)}`;
    })
    .join('\n\n');
}

const documents = [
  { file: 'services/domain/README.md', name: 'errors', render: errors },
  { file: 'services/runtime/configuration/README.md', name: 'settings', render: settings },
];

const differing = [];
for (const { file, name, render } of documents) {
  const path = new URL(file, import.meta.url);
  const before = readFileSync(path, 'utf8');
  const [start, end] = [`<!-- ${name}: written by \`npm run docs\` -->`, `<!-- end of ${name} -->`];
  const [from, to] = [before.indexOf(start), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} lacks the markers ${start} and ${end}`);
  const source = `${before.slice(0, from)}${start}\n\n${render()}\n\n${before.slice(to)}`;
  const after = await format(source, { ...(await resolveConfig(path)), parser: 'markdown' });
  if (after === before) continue;
  differing.push(file);
  if (!process.argv.includes('--check')) writeFileSync(path, after);
}
if (differing.length > 0 && process.argv.includes('--check')) {
  console.error(`${differing.join(' and ')} differ from the code: run \`npm run docs\` and commit them`);
  process.exit(1);
}
