import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../journeys/server.js';
import { startFaultyServer, type FaultyServer } from '../services/ports/openai/faulty-server.js';
import { startEmbeddings } from '../stack/embeddings.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { sluice, type ProcessResult } from './sluice-process.js';

const embeddings = await startOrSkip('an embeddings server', startEmbeddings);

if (embeddings !== undefined) {
  describe('a server whose models are behind other servers', { timeout: 180_000 }, () => {
    let root: string;
    let chat: FaultyServer;
    let server: TestServer;
    let env: Record<string, string>;

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'sluice-remote-'));
      chat = await startFaultyServer(({ headers }, response) => {
        if (headers.authorization !== 'Bearer s3cret') return void response.writeHead(401).end('{}');
        const pieces = ['It lives ', 'far south [1].'].map((content) => ({ choices: [{ delta: { content } }] }));
        const events = [...pieces, { choices: [{ delta: {}, finish_reason: 'stop' }] }];
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`);
      });
      await writeFile(
        join(root, 'sluice.yaml'),
        [
          'embedding:\n  model: e5\n  models:\n    e5:',
          `      { baseUrl: '${embeddings.url}', model: e5-passage, queryModel: e5-query, dimensions: 384 }`,
          `language:\n  model: big\n  models:\n    big: { baseUrl: '${chat.url}', model: m-70b }\n`,
        ].join('\n'),
      );
      await writeFile(join(root, 'key'), 's3cret\n');
      await mkdir(join(root, 'docs'));
      await writeFile(join(root, 'docs', 'birds.md'), 'Penguins cannot fly. They live in the southern hemisphere.\n');
      await writeFile(join(root, 'docs', 'dam.md'), 'The dam was built in 1936 and holds back the river.\n');
      env = {
        SLUICE_CONFIG: join(root, 'sluice.yaml'),
        SLUICE_LANGUAGE_MODELS_BIG_API_KEY_FILE: join(root, 'key'),
        XDG_STATE_HOME: join(root, 'state'),
      };
      server = await startServer(join(root, 'data'), env);
    });
    afterAll(async () => {
      await server.stop();
      await chat.close();
      await embeddings.stop();
      await rm(root, { recursive: true, force: true });
    });

    const run = (args: readonly string[]): Promise<ProcessResult> =>
      sluice([...args, '--url', server.url], { env, cwd: root });

    it('embeds by the one and answers by the other', async () => {
      expect((await run(['load', 'docs', '--json'])).json()).toMatchObject({ new: 2, failed: [] });
      const found = await run(['search', 'a flightless animal', '--mode', 'semantic', '--json']);
      expect(found.stdout.indexOf('birds.md')).toBeLessThan(found.stdout.indexOf('dam.md'));
      expect((await run(['ask', 'Where does the penguin live?', '--json'])).json()).toMatchObject({
        answer: expect.stringContaining('It lives far south') as unknown,
        model: 'big (m-70b)',
      });
      expect(JSON.stringify(chat.calls.at(-1)?.body)).toContain('Penguins cannot fly');
    });

    it('is told by doctor whether they answer, and why they do not', async () => {
      const well = await run(['doctor', '--data', join(root, 'data')]);
      expect(well.stdout).toMatch(/ok +embedding model e5: answers with 384 dimensions/);
      expect(well.stdout).toMatch(/ok +language model big \(m-70b\): answers/);
      expect(well.stdout).toContain('e5/384 (default)');
      await writeFile(join(root, 'key'), 'wrong\n');
      const ill = await run(['doctor', '--data', join(root, 'data')]);
      expect(ill.stdout).toMatch(/failed +language model big \(m-70b\): .*refuses the key/);
      expect(ill.exitCode).not.toBe(0);
    });
  });
}
