import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SluiceApi } from '../../gateway/client/client.js';
import { startServer, type TestServer } from '../journeys/server.js';
import { sluice, spawnSluice } from './sluice-process.js';

const pump = `# Pump

## Starting

Open the inlet valve fully before starting the pump. Part number AURA-7 seals the inlet flange.
`;

/** Documents that a server has taken, in whatever state. */
async function taken(client: SluiceApi): Promise<number> {
  const { pending, processing, ready, failed } = (await client.status()).documents;
  return pending + processing + ready + failed;
}

/** The command line and a real server, each a process of its own. */
describe('the command line on an embedded server', { timeout: 180_000 }, () => {
  let root: string;
  let docs: string;
  let server: TestServer;
  const run = (args: readonly string[], stdin?: string) =>
    sluice([...args, '--url', server.url], {
      env: { XDG_STATE_HOME: join(root, 'state') },
      cwd: root,
      ...(stdin === undefined ? {} : { stdin }),
    });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'sluice-cli-'));
    docs = join(root, 'docs');
    await mkdir(docs);
    await writeFile(join(docs, 'pump.md'), pump);
    await writeFile(join(docs, 'note.txt'), 'The lighthouse keeper collects barometers.\n');
    server = await startServer(join(root, 'data'));
  });
  afterAll(async () => {
    await server.stop();
    await rm(root, { recursive: true, force: true });
  });

  it('loads a folder, and embeds nothing the second time', async () => {
    const first = await run(['load', 'docs', '--json']);
    expect(first.json()).toMatchObject({ new: 2, changed: 0, unchanged: 0, failed: [] });
    expect(first.exitCode).toBe(0);
    const second = await run(['load', 'docs']);
    expect(second.stdout).toBe('Nothing new: 2 documents unchanged, nothing was embedded.\n');
  });

  it('answers with numbered sources: document, heading path, quote', async () => {
    const asked = await run(['ask', 'What must be opened before starting the pump?']);
    expect(asked.exitCode).toBe(0);
    expect(asked.stdout).toContain('Open the inlet valve fully before starting the pump. [1]');
    expect(asked.stdout).toMatch(/\[1\] docs\/pump\.md › Pump\n +“/u);
    const json = (await run(['ask', 'What must be opened before starting the pump?', '--json'])).json();
    expect(Object.keys(json as object)).toEqual(['answer', 'citations', 'model', 'usage']);
  });

  it('finds an exact token, explained', async () => {
    const found = await run(['search', 'aura-7', '--explain']);
    expect(found.stdout).toMatch(/^ 1 .*docs\/pump\.md › Pump/u);
    expect(found.stdout).toMatch(/words: rank 1/u);
  });

  it('counts in status', async () => {
    expect((await run(['status', '--json'])).json()).toEqual({
      documents: { pending: 0, processing: 0, ready: 2, failed: 0 },
      ...{ chunks: 2, vectors: 2, dead_letters: 0 },
    });
  });

  it('replaces a changed file, and leaves no chunks of an emptied one', async () => {
    await writeFile(join(docs, 'note.txt'), 'The lighthouse keeper collects sextants.\n');
    expect((await run(['load', 'docs', '--json'])).json()).toMatchObject({ new: 0, changed: 1, unchanged: 1 });
    await writeFile(join(docs, 'note.txt'), '');
    expect((await run(['load', 'docs', '--json'])).json()).toMatchObject({ new: 0, changed: 1, unchanged: 1 });
    expect((await run(['status', '--json'])).json()).toMatchObject({ documents: { ready: 2 } });
    expect((await run(['search', 'sextants', '--mode', 'lexical', '--json'])).json()).toEqual({ hits: [] });
  });

  it('lets what cannot be decoded fail alone, and says why', async () => {
    await writeFile(join(root, 'scan.pdf'), '%PDF-1.7\n\0\u0001\u0002');
    await writeFile(join(root, 'fine.md'), 'Copper kettles sing at dawn.');
    const loaded = await run(['load', 'scan.pdf', 'fine.md', '--collection', 'mixed', '--json']);
    expect(loaded.exitCode).toBe(1);
    expect(loaded.json()).toMatchObject({
      new: 1,
      failed: [{ source: join(root, 'scan.pdf'), code: 'unsupported-format' }],
    });
    const listed = await run(['documents', 'list', '--collection', 'mixed', '--state', 'failed']);
    expect(listed.stdout).toMatch(/failed .*scan\.pdf[^]*scan\.pdf: .*PDF/u);
  });

  it('takes standard input, shows, prints and deletes it', async () => {
    const loaded = await run(
      ['load', '-', '--id', 'memo', '--name', 'memo.md', '--json'],
      '# Memo\n\nAmber lanterns.\n',
    );
    expect(loaded.json()).toMatchObject({ new: 1 });
    const shown = (await run(['documents', 'show', 'memo', '--json'])).json();
    expect(shown).toMatchObject({ document_id: 'memo', source: 'memo.md', state: 'ready' });
    expect((await run(['documents', 'text', 'memo'])).stdout).toBe('# Memo\n\nAmber lanterns.\n');
    const { chunks } = (await run(['chunks', 'list', 'memo', '--json'])).json() as { chunks: { chunk_id: string }[] };
    expect(chunks).toHaveLength(1);
    const chunk = (await run(['chunks', 'show', chunks[0]?.chunk_id ?? '', '--json'])).json();
    expect(chunk).toMatchObject({ document_id: 'memo', seq: 0 });
    expect((await run(['documents', 'delete', 'memo', '--json'])).json()).toEqual({ deleted: ['memo'], failed: [] });
    const gone = await run(['documents', 'show', 'memo', '--json']);
    expect([gone.exitCode, gone.json()]).toMatchObject([2, { error: { code: 'document-not-found' } }]);
  });

  it('creates, shows, updates, lists and deletes a collection', async () => {
    const created = await run(['collections', 'create', 'handbook', '--chunk-size', '200', '--json']);
    expect(created.json()).toMatchObject({ collection: 'handbook', chunker: { size: 200, overlap: 25 } });
    await run(['collections', 'update', 'handbook', '--name', 'The handbook', '--meta', 'team="ops"']);
    expect((await run(['collections', 'show', 'handbook', '--json'])).json()).toMatchObject({
      ...{ name: 'The handbook', metadata: { team: 'ops' } },
      statistics: { documents: { ready: 0 }, chunks: 0 },
    });
    expect((await run(['collections', 'list'])).stdout).toContain('The handbook');
    expect((await run(['collections', 'create', 'handbook'])).exitCode).toBe(2);
    expect((await run(['collections', 'delete', 'handbook', '--yes', '--json'])).json()).toEqual({
      ...{ collection: 'handbook', state: 'deleted' },
    });
    expect((await run(['collections', 'show', 'handbook'])).exitCode).toBe(2);
  });

  it('filters by what was loaded with --meta', async () => {
    await writeFile(join(root, 'old.md'), 'Granite bridges cross the river.');
    await writeFile(join(root, 'new.md'), 'Granite bridges cross the valley.');
    await run(['load', 'old.md', '--collection', 'years', '--meta', 'year=1999']);
    await run(['load', 'new.md', '--collection', 'years', '--meta', 'year=2024']);
    const found = (await run(['search', 'granite', '-c', 'years', '--where', 'year>=2000', '--json'])).json();
    expect(found).toMatchObject({ hits: [{ metadata: { year: 2024 } }] });
    expect((found as { hits: unknown[] }).hits).toHaveLength(1);
    const bad = await run(['search', 'granite', '-c', 'years', '--where', 'year >']);
    expect(bad.exitCode).toBe(2);
    expect(bad.stderr).toMatch(/^error: .*year/u);
  });

  it('refuses what is not there or cannot be, each with its code', async () => {
    const unknown = await run(['search', 'x', '--collection', 'nowhere', '--json']);
    expect([unknown.exitCode, unknown.json()]).toMatchObject([2, { error: { code: 'collection-not-found' } }]);
    expect(unknown.stderr).toContain('nowhere');
    expect((await run(['search', 'x', '--min-score', '0.5'])).exitCode).toBe(2);
    const size = await run(['load', 'docs', '--chunk-size', '99', '--json']);
    expect([size.exitCode, size.json()]).toMatchObject([4, { error: { code: 'spec-mismatch' } }]);
    const space = await run(['load', 'docs', '--embedding', 'other-model', '--json']);
    expect([space.exitCode, space.json()]).toMatchObject([4, { error: { code: 'space-mismatch' } }]);
  });

  it('says in doctor that all is well', async () => {
    const checked = await run(['doctor', '--data', join(root, 'data'), '--json']);
    const { checks } = checked.json() as { checks: { name: string; state: string }[] };
    expect(checks.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['server', 'collection default', 'disk space']),
    );
    expect(checked.exitCode).toBe(0);
  });

  it('says that the data folder or the port is taken', async () => {
    const folder = await sluice(['serve', '--data', join(root, 'data'), '--port', '0', '--json'], { cwd: root });
    expect([folder.exitCode, folder.json()]).toMatchObject([2, { error: { code: 'data-folder-in-use' } }]);
    expect(folder.stderr).toContain(join(root, 'data'));
    const { port } = new URL(server.url);
    const taken = await sluice(['serve', '--data', join(root, 'other'), '--port', port], { cwd: root });
    expect(taken.exitCode).toBe(2);
    expect(taken.stderr).toMatch(new RegExp(`error: .*${port}`, 'u'));
  });

  it('refuses settings that are none, and prints those that are', async () => {
    const wrong = await sluice(['config', '--json'], { cwd: root, env: { SLUICE_GATEWAY_PROT: '1' } });
    expect([wrong.exitCode, wrong.json()]).toMatchObject([2, { error: { code: 'configuration-invalid' } }]);
    expect(wrong.stderr).toContain('SLUICE_GATEWAY_PORT');
    const right = await sluice(['config', '--json'], { cwd: root, env: { SLUICE_GATEWAY_PORT: '7301' } });
    const { settings } = right.json() as { settings: { variable: string }[] };
    expect(settings.find(({ variable }) => variable === 'SLUICE_GATEWAY_PORT')).toMatchObject({
      ...{ value: 7301, default: 7300, source: 'SLUICE_GATEWAY_PORT' },
    });
  });

  it('goes on with a load whose server was killed, and with one that was killed itself', async () => {
    const many = join(root, 'many');
    await mkdir(many);
    for (let index = 0; index < 120; index++) {
      await writeFile(join(many, `${index}.md`), `# Note ${index}\n\nNumber ${index} is about topic ${index % 7}.\n`);
    }
    const data = join(root, 'data-2');
    const first = await startServer(data);
    const { port } = new URL(first.url);
    const args = ['load', 'many', '--collection', 'many', '--json', '--concurrency', '2', '--url', first.url];
    const setting = { cwd: root, env: { XDG_STATE_HOME: join(root, 'state-2') } };
    const killed = spawnSluice(args, setting);
    await vi.waitFor(async () => expect(await taken(first.client)).toBeGreaterThan(5), 60_000);
    killed.child.kill('SIGKILL');
    await killed.ended;

    const before = await taken(first.client);
    const going = spawnSluice(args, setting);
    await vi.waitFor(async () => expect(await taken(first.client)).toBeGreaterThan(before), 60_000);
    await first.kill();
    const second = spawnSluice(['serve', '--data', data, '--port', port], { cwd: root });
    const loaded = await going.ended;
    const summary = loaded.json() as { new: number; changed: number; unchanged: number; failed: unknown[] };
    expect(summary).toMatchObject({ changed: 0, failed: [] });
    expect(summary.new + summary.unchanged).toBe(120);
    const status = await sluice(['status', '--json', '--url', first.url], setting);
    expect(status.json()).toMatchObject({ documents: { pending: 0, processing: 0, ready: 120, failed: 0 } });
    second.child.kill('SIGTERM');
    expect((await second.ended).exitCode).toBe(0);
  }, 240_000);
});
