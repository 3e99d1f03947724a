import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { run } from '../stack/native-server.js';

/** A build of its own beside this checkout's, to be run with the same packages. */
export interface Release {
  readonly version: string;
  /** The file of its command line. */
  readonly program: string;
  remove(): Promise<void>;
}

/** Of the project that is the working directory. */
const checkout = resolve('.');
const sources = ['cli', 'gateway', 'schema', 'services'];
const adapter = 'services/ports/bus/kafka';

/** The newest release that `schema/released/` records, with this checkout's Kafka adapter. Needs the release's commit. */
export async function recordedRelease(): Promise<Release> {
  const { version, commit } = await newestRecord();
  const known = await run('git', ['cat-file', '-e', `${commit}^{commit}`]).then(
    () => true,
    () => false,
  );
  if (!known) {
    throw new Error(
      `commit ${commit} of release ${version} is not in this clone: fetch the whole history (git fetch --unshallow)`,
    );
  }
  return build(version, async (folder) => {
    const archive = join(folder, 'release.tar');
    await run('git', ['archive', '--output', archive, commit, 'package.json', ...sources]);
    await run('tar', ['xf', archive, '-C', folder]);
    await rm(join(folder, adapter), { recursive: true });
    await cp(join(checkout, adapter), join(folder, adapter), { recursive: true });
  });
}

/** The release after this checkout: every message has one more field, and the librarian knows one more command. */
export const nextRelease = (): Promise<Release> =>
  build('next', async (folder) => {
    for (const name of ['package.json', 'tsconfig.json', ...sources]) {
      await cp(join(checkout, name), join(folder, name), { recursive: true });
    }
    const messages = join(folder, 'schema/messages');
    for (const name of await readdir(messages)) {
      const schema = JSON.parse(await readFile(join(messages, name), 'utf8')) as { fields: unknown[] };
      schema.fields.push({ name: 'written_by', type: 'string', default: 'the next release' });
      await writeFile(join(messages, name), JSON.stringify(schema));
    }
    await run(process.execPath, [join(folder, 'schema/generate.mjs')]);
    const parser = join(folder, 'services/librarian/parse-command.ts');
    const text = await readFile(parser, 'utf8');
    const changed = text.replace("case 'delete':", `case '${newCommand}':\n    case 'delete':`);
    if (changed === text) throw new Error('the librarian reads commands elsewhere: let this know where');
    await writeFile(parser, changed);
  });

/** The kind of command that only the next release knows; it does what `delete` does. */
export const newCommand = 'forget';

interface ReleaseRecord {
  readonly version: string;
  readonly commit: string;
}

async function newestRecord(): Promise<ReleaseRecord> {
  const folder = join(checkout, 'schema/released');
  const versions = await readdir(folder).catch((): readonly string[] => []);
  const newest = [...versions].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  if (newest === undefined) throw new Error('schema/released/ records no release: see schema/release.mjs');
  return JSON.parse(await readFile(join(folder, newest, 'release.json'), 'utf8')) as ReleaseRecord;
}

/** Types are not compared: this checkout's own build does that, and two releases may well differ in them. */
async function build(version: string, fill: (folder: string) => Promise<void>): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), `sluice-release-${version}-`));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
    await fill(folder);
    for (const source of sources) {
      for (const name of await readdir(join(folder, source), { recursive: true })) {
        if (name.endsWith('.ts') && !name.endsWith('.d.ts')) await compile(folder, join(source, name));
      }
    }
    return { version, program: join(folder, 'dist/cli/main.js'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function compile(folder: string, file: string): Promise<void> {
  const { outputText } = ts.transpileModule(await readFile(join(folder, file), 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
  });
  const target = join(folder, 'dist', file.replace(/ts$/, 'js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, outputText);
}
