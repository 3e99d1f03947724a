import { execFile } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { compileFunction } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SluiceApiError, SluiceClient, type DocumentBody, type WatchEvent } from '../../../gateway/client/client.js';
import type { Gateway } from '../../../gateway/gateway.js';
import { topics } from '../../../schema/topics.js';
import { output } from '../../../services/runtime/processor.js';
import { openTestBed, type TestBed } from '../gateway-fixture.js';
import { startStandInLibrarian } from '../stand-in-librarian.js';

let bed: TestBed;
let gateway: Gateway;
let url: string;
let client: SluiceClient;

beforeAll(async () => {
  bed = await openTestBed();
  gateway = await bed.gateway();
  ({ url } = await gateway.listen());
  client = new SluiceClient({ url });
  await startStandInLibrarian(bed);
  await bed.hear(topics.questionsAsked, ({ value, headers }) => {
    const answer = { text: 'heron [1]', found: true, model: 'm', finish_reason: 'stop', citations: [citation] };
    const send = (index: number, more: object) =>
      bed.publisher.publish([
        output(
          topics.replies,
          { kind: 'answer-part', attempt: 'a', index, ...more },
          {
            'correlation-id': headers['correlation-id'] ?? '',
            'reply-inbox': headers['reply-inbox'] ?? '',
          },
        ),
      ]);
    if (value.question === 'unanswered?') return;
    void send(0, { text: 'heron' }).then(() => send(1, { kind: 'answer-end', answer }));
  });
});
afterAll(async () => {
  await client.close();
  await bed.close();
});

const citation = {
  ...{ n: 1, chunk_id: 'c', document_id: 'greeting', collection: 'default', source: 'greeting', seq: 0 },
  ...{ heading_path: ['Greeting'], start: 0, end: 5, quote: 'heron' },
};

describe('documents', () => {
  const bodies: Record<string, () => DocumentBody> = {
    text: () => 'the same text',
    bytes: () => Buffer.from('the same text'),
    blob: () => new Blob(['the same', ' text']),
    stream: () => Readable.from([Buffer.from('the same '), Buffer.from('text')]),
    file: () => ({ file }),
  };
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-client-'));
    file = join(folder, 'a.txt');
    await writeFile(file, 'the same text');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.keys(bodies))('takes %s as a body', async (kind) => {
    const body = bodies[kind]?.() ?? '';
    const operation = await client.ingestDocument({
      ...{ collection: 'default', document_id: `body/${kind}`, body, title: 'T', tags: ['x', 'y'] },
      metadata: { year: 2020, draft: false, list: ['a', 1] },
    });
    expect(operation).toMatchObject({ state: 'ready', version: 1, chunk_count: 1 });
    const document = await client.getDocument('default', `body/${kind}`);
    expect(document).toMatchObject({
      title: 'T',
      live: { tags: ['x', 'y'], metadata: { year: 2020, draft: false, list: ['a', 1] }, size_bytes: 13 },
    });
    expect(await text(await client.documentText('default', `body/${kind}`))).toBe('the same text');
    const range = { range: { start: 4, end: 8 } };
    expect(await text(await client.documentText('default', `body/${kind}`, range))).toBe('same');
  });

  it('carries ids that URLs can hardly hold', async () => {
    for (const document_id of ['..', '.', '~', 'a/b?c#d', 'ü 💥', '%2e']) {
      const submitted = await client.putDocument({ collection: 'default', document_id, body: 'x' });
      expect(submitted.document_id).toBe(document_id);
      await client.waitForOperation(submitted.operation_id);
      expect((await client.getDocument('default', document_id)).document_id).toBe(document_id);
      const deleted = await client.deleteDocument('default', document_id);
      expect((await client.waitForOperation(deleted.operation_id)).state).toBe('deleted');
    }
  });

  it('reads all pages', async () => {
    const ids: string[] = [];
    for await (const { document_id } of client.listDocuments({ collection: 'default', limit: 2 }))
      ids.push(document_id);
    expect(ids).toEqual(
      Object.keys(bodies)
        .map((kind) => `body/${kind}`)
        .sort(),
    );
    const chunks: string[] = [];
    for await (const chunk of client.documentChunks('default', 'body/text')) chunks.push(chunk.chunk_id);
    expect((await client.chunk(chunks[0] ?? '')).text).toBe('the same text');
  });

  it('says what the file system says of a file that is not there', async () => {
    const body = { file: join(folder, 'missing') };
    await expect(client.putDocument({ collection: 'default', body })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('throws typed errors', async () => {
    const error = await client.getDocument('nowhere', 'x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SluiceApiError);
    expect(error).toMatchObject({ code: 'collection-not-found', status: 404 });
  });
});

describe('answers', () => {
  it('come in parts, or whole', async () => {
    const parts: unknown[] = [];
    for await (const part of client.ask({ question: 'password?' })) parts.push(part);
    expect(parts).toEqual([
      { kind: 'text', text: 'heron' },
      { kind: 'end', result: expect.objectContaining({ answer: 'heron [1]' }) as unknown },
    ]);
    expect((await client.answer({ question: 'password?' })).citations).toHaveLength(1);
  });

  it('end with the reason of an aborted signal, or of a deadline', async () => {
    const reason = new Error('enough');
    const signal = AbortSignal.any([AbortSignal.timeout(100)]);
    const leaving = new AbortController();
    setTimeout(() => {
      leaving.abort(reason);
    }, 50);
    await expect(client.answer({ question: 'unanswered?' }, { signal: leaving.signal })).rejects.toBe(reason);
    await expect(client.ask({ question: 'unanswered?' }, { signal })[Symbol.asyncIterator]().next()).rejects.toThrow();
    await expect(client.answer({ question: 'unanswered?', timeout_ms: 20 })).rejects.toMatchObject({
      code: 'deadline-exceeded',
      status: 504,
    });
  });
});

describe('a server that is away', () => {
  let server: Server | undefined;
  const serve = async (handle: RequestListener): Promise<string> => {
    server = createServer(handle);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });
  const problem = { type: 'about:blank', title: '', status: 503, code: 'unavailable', detail: 'starting' };

  it('is asked again, after as long as it says, and uploads keep their key', async () => {
    const keys: unknown[] = [];
    const at = await serve((request, response) => {
      keys.push(request.headers['idempotency-key']);
      request.resume();
      request.on('end', () => {
        if (keys.length < 3) response.writeHead(503, { 'retry-after': '0' }).end(JSON.stringify(problem));
        else response.writeHead(202).end('{"operation_id":"o"}');
      });
    });
    const away = new SluiceClient({ url: at });
    expect(await away.putDocument({ collection: 'c', body: 'x' })).toMatchObject({ operation_id: 'o' });
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(3);
    const once = { collection: 'c', body: Readable.from(['x']) };
    keys.length = 0;
    await expect(away.putDocument(once)).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    expect(keys).toHaveLength(1);
  });

  it('is said to be unreachable, with what to do', async () => {
    const nowhere = new SluiceClient({ url: 'http://127.0.0.1:1', maxRetries: 0 });
    await expect(nowhere.status()).rejects.toMatchObject({ code: 'unreachable', status: 0 });
    await expect(nowhere.status()).rejects.toThrow(/sluice serve/);
  });

  it('is told from something that is not Sluice', async () => {
    const at = await serve((_request, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'));
    const proxied = new SluiceClient({ url: at, maxRetries: 0 });
    await expect(proxied.status()).rejects.toMatchObject({ code: 'invalid-response', status: 502 });
  });

  it('breaks an answer, and says so', async () => {
    const at = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: text\ndata: {"kind":"text","text":"her"}\n\n', () => response.destroy());
    });
    const parts: unknown[] = [];
    const reading = (async () => {
      for await (const part of new SluiceClient({ url: at }).ask({ question: 'x' })) parts.push(part);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'answer-interrupted' });
    expect(parts).toEqual([{ kind: 'text', text: 'her' }]);
  });
});

it('watches over a restart of the server, telling nothing twice and of what went meanwhile', async () => {
  const first = await bed.gateway();
  const { url: there } = await first.listen();
  const watcher = new SluiceClient({ url: there });
  await client.ingestDocument({ collection: 'default', document_id: 'stays', body: 'x' });
  await client.ingestDocument({ collection: 'default', document_id: 'goes', body: 'x' });
  const seen: WatchEvent[] = [];
  const leaving = new AbortController();
  const watching = (async () => {
    for await (const event of watcher.watch({ collection: 'default', signal: leaving.signal })) seen.push(event);
  })();
  watching.catch(() => undefined);
  const of = (id: string) => seen.filter((event) => event.kind === 'document' && event.document_id === id);
  await expect.poll(() => seen.at(-1)?.kind).toBe('listed');
  await first.close();
  const { operation_id } = await client.deleteDocument('default', 'goes');
  await client.waitForOperation(operation_id);
  const second = await bed.gateway({ port: Number(new URL(there).port) });
  await second.listen();
  await expect.poll(() => of('goes').at(-1), { timeout: 20_000 }).toMatchObject({ deleted: true });
  expect(of('stays')).toHaveLength(1);
  expect(seen.filter(({ kind }) => kind === 'listed')).toHaveLength(1);
  leaving.abort(new Error('seen'));
  await expect(watching).rejects.toThrow('seen');
  await watcher.close();
});

it('does what its README shows', async () => {
  const readme = await readFile(new URL('../../../gateway/client/README.md', import.meta.url), 'utf8');
  const example = /```ts\n([^]*?)```/.exec(readme)?.[1] ?? '';
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(20);
  const printed: string[] = [];
  const run = compileFunction(
    `return (async () => {${example.replace(/^import .*$/m, '').replace(/http:[^']*/, url)}})()`,
    ['SluiceClient', 'console', 'process'],
  ) as (...args: unknown[]) => Promise<void>;
  const log = (...args: unknown[]) => printed.push(args.join(' '));
  await run(SluiceClient, { log }, { stdout: { write: log } });
  expect(printed).toEqual(['ready 1', 'heron', '\n[1] greeting: heron']);
});

it('holds next to nothing of what it sends in memory', async () => {
  const sink = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(202).end('{"operation_id":"o"}'));
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const { port } = sink.address() as AddressInfo;
  const sender = `
    import { SluiceClient } from ${JSON.stringify(new URL('../../../dist/gateway/client/client.js', import.meta.url))};
    const body = (async function* () { for (let index = 0; index < 600; index++) yield Buffer.alloc(1 << 20, 'x'); })();
    await new SluiceClient({ url: 'http://127.0.0.1:${port}' }).putDocument({ collection: 'c', body });
    console.log(process.resourceUsage().maxRSS);
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', sender]);
  sink.close();
  expect(Number(stdout)).toBeLessThan(350 * 1024);
});

it('loads nothing of the server', async () => {
  const folder = new URL('../../../gateway/client/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
  const loaded = new Set<string>();
  for (const name of files) {
    const source = await readFile(new URL(name, folder), 'utf8');
    for (const [, from = ''] of source.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)) loaded.add(from);
  }
  const foreign = [...loaded].filter((from) => !from.startsWith('./') && !from.startsWith('node:'));
  expect(foreign).toEqual(['eventsource-parser']);
});
