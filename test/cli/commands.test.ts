import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problem, startStub } from './stub-gateway.js';
import { runCli, type CliResult } from './run-cli.js';

type Stub = Awaited<ReturnType<typeof startStub>>;

let stub: Stub;
const others: Stub[] = [];
beforeEach(async () => {
  stub = await startStub();
});
afterEach(async () => {
  await Promise.all([stub, ...others.splice(0)].map((one) => one.close()));
});

const sluice = (...args: string[]): Promise<CliResult> => runCli([...args, '--url', stub.url], { cwd: '/docs' });
const refusing = async (status: number, code: string): Promise<string> => {
  const other = await startStub({ refuse: () => problem(status, code, `refused: ${code}`) });
  others.push(other);
  return other.url;
};

describe('results in JSON', () => {
  it('of search', async () => {
    const { hits } = (await sluice('search', 'valve', '--json')).json() as { hits: object[] };
    expect(Object.keys((await sluice('search', 'valve', '--json')).json() as object)).toEqual(['hits']);
    expect(hits[0]).toMatchObject({ chunk_id: 'h:0', score: 0.5, heading_path: ['Pump', 'Start\u001b[31m'] });
    const explained = (await sluice('search', 'valve', '--explain', '--json')).json() as object;
    expect(Object.keys(explained)).toEqual(['hits', 'explain']);
  });

  it('of ask', async () => {
    expect((await sluice('ask', 'what', 'opens?', '--json')).json()).toEqual({
      answer: 'Open it [1].',
      citations: [
        {
          ...{ n: 1, chunk_id: 'h:0', document_id: 'a', collection: 'default', source: 'file:///docs/a.md', seq: 0 },
          ...{ heading_path: ['Pump'], start: 0, end: 4, quote: 'Open' },
        },
      ],
      model: 'extractive (stub)',
      usage: { input_tokens: 9, output_tokens: 3, context_tokens: 9 },
    });
  });

  it('of status', async () => {
    expect((await sluice('status', '--json')).json()).toEqual({
      documents: { pending: 0, processing: 0, ready: 0, failed: 0 },
      ...{ chunks: 0, vectors: 0, dead_letters: 0 },
    });
  });

  it('of an error, beside its paragraph on stderr', async () => {
    const failed = await runCli(['status', '--json', '--url', await refusing(404, 'collection-not-found')]);
    expect(failed.json()).toEqual({
      error: { code: 'collection-not-found', message: 'refused: collection-not-found' },
    });
    expect(failed.stderr).toBe('error: refused: collection-not-found\n');
  });
});

describe('results for people', () => {
  it('of ask: the answer, then numbered sources with place and quote', async () => {
    expect((await sluice('ask', 'what opens?')).stdout).toBe(
      'Open it [1].\n\nSources\n  [1] a.md › Pump\n      “Open”\n\nanswered by extractive (stub)\n',
    );
  });

  it('of search: no escape sequence of a document gets through', async () => {
    const { stdout } = await sluice('search', 'valve');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain(' 1  0.500  a.md › Pump › Start');
    expect(stdout).toContain('Open valve');
  });

  it('of doctor: what is pinned where, and what to do', async () => {
    stub.createCollection('old', { space: { id: 'gone', model: 'minilm', dimensions: 384 } });
    const { stdout, exitCode } = await sluice('doctor');
    expect(stdout).toContain('server: ');
    expect(stdout).toContain('collection old: pinned to minilm/384 (space gone)');
    expect(stdout).toContain('which no configured model serves');
    expect(stdout).toContain('→ configure the model minilm again');
    expect(exitCode).toBe(1);
  });
});

describe('exit codes', () => {
  it.each([
    [2, 400, 'invalid-argument'],
    [2, 401, 'unauthorized'],
    [2, 404, 'collection-not-found'],
    [4, 409, 'space-mismatch'],
    [4, 409, 'spec-mismatch'],
    [3, 503, 'unavailable'],
    [1, 500, 'internal'],
    [1, 507, 'storage-full'],
  ])('%i where the server answers %i %s', async (exitCode, status, code) => {
    const failed = await runCli(['search', 'x', '--url', await refusing(status, code)]);
    expect(failed.exitCode).toBe(exitCode);
    expect(failed.stderr).toBe(`error: refused: ${code}\n`);
    expect(failed.stdout).toBe('');
  });

  it('3 where nothing answers, with what to do', async () => {
    const failed = await runCli(['status', '--url', 'http://127.0.0.1:9']);
    expect(failed.exitCode).toBe(3);
    expect(failed.stderr).toMatch(/no Sluice server answers at http:\/\/127\.0\.0\.1:9 .*sluice serve/u);
  });

  it('1 where an answer breaks off', async () => {
    const other = await startStub({ answerEnds: false });
    others.push(other);
    const failed = await runCli(['ask', 'what?', '--url', other.url]);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain('broke off');
  });

  it.each([
    [['search', 'x', '--limit', '0'], /whole number from 1 to 1000/u],
    [['search', 'x', '--limit', '1.5'], /whole number/u],
    [['search', 'x', '--mode', 'best'], /semantic, lexical, hybrid/u],
    [['search', 'x', '--where', '{"a"'], /is not JSON/u],
    [['search', ' '], /the query is empty/u],
    [['ask', ''], /the question is empty/u],
    [['ask'], /missing required argument/u],
    [['search', 'x', '--limitt', '3'], /--limit\?/u],
    [['serach', 'x'], /Did you mean search/u],
    [['documents'], /needs a command after it/u],
    [['collections', 'delete', 'x'], /give --yes/u],
    [['collections', 'update', 'x'], /nothing to change/u],
    [['load'], /missing required argument/u],
    [['eval', '--corpus', 'a.md'], /each --corpus needs its --questions/u],
    [['serve', '--port', '70000'], /from 0 to 65535/u],
    [['status', '--url', 'localhost:7300'], /is not a URL of a server/u],
  ] as const)('2 for %j', async (args, message) => {
    const failed = await runCli([...args]);
    expect(failed.exitCode).toBe(2);
    expect(failed.stderr).toMatch(message);
    expect(failed.stdout).toBe('');
  });

  it('0 for help and version', async () => {
    for (const args of [['--help'], [], ['search', '--help'], ['documents', '--help'], ['--version']]) {
      const shown = await runCli(args);
      expect([shown.exitCode, shown.stderr]).toEqual([0, '']);
      expect(shown.stdout).not.toBe('');
    }
  });
});
