import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';

interface StubDocument {
  documentId: string;
  version: number;
  contentHash: string;
  state: string;
  chunks: number;
  query: URLSearchParams;
}

interface StubOptions {
  /** 0: a free one. */
  port?: number;
  /** Whether changes are told as they happen; else clients must ask. */
  events?: boolean;
  /** Whether an answer comes with its end. */
  answerEnds?: boolean;
  /** What becomes of an upload; by default it is ready at once. */
  outcome?: (body: Buffer, query: URLSearchParams) => { state: string; code?: string; reason?: string };
  /** Answers instead of the stub: [status, body]. */
  refuse?: (method: string, path: string) => readonly [number, unknown] | undefined;
}

export const problem = (status: number, code: string, detail: string) =>
  [status, { type: 'about:blank', title: '', status, code, detail }] as const;

const at = '2026-01-01T00:00:00.000Z';
const space = { id: 'space-1', model: 'stub', dimensions: 4 };
const chunker = {
  ...{ strategy: 'structure', version: 1, size: 512, overlap: 64, tokenizer: 'o200k_base', context_prefix: true },
};

/** The routes of the gateway that the command line calls, over real HTTP, with memory instead of a pipeline. */
export async function startStub(options: StubOptions = {}) {
  const documents = new Map<string, StubDocument>();
  const operations = new Map<string, object>();
  const collections = new Map<string, object>();
  const watchers = new Set<ServerResponse>();
  const uploads: string[] = [];
  const requests: string[] = [];

  const collection = (id: string, more: object = {}) => ({
    ...{ collection: id, name: id, description: '', metadata: {}, space, target_space: null, chunker },
    ...{ language: 'english', state: 'active', created_at: at, updated_at: at, ...more },
  });

  const submit = async (request: IncomingMessage, url: URL, id: string, documentId?: string) => {
    const body = await buffer(request);
    const { searchParams } = url;
    const key = documentId ?? hash(`${id}\0${searchParams.get('source') ?? `content:\0${hash(body)}`}`);
    uploads.push(searchParams.get('source') ?? key);
    const before = documents.get(`${id}/${key}`);
    const contentHash = hash(body);
    const unchanged =
      before?.contentHash === contentHash && before.state === 'ready' && searchParams.get('force') !== 'true';
    const end = unchanged ? { state: 'unchanged' } : (options.outcome?.(body, searchParams) ?? { state: 'ready' });
    const version = unchanged ? before.version : (before?.version ?? 0) + 1;
    const chunks = Math.ceil(body.length / 100);
    const operation = {
      ...{ operation_id: randomUUID(), kind: 'submit', document_id: key, collection: id, state: end.state, version },
      ...{ chunk_count: chunks, unchanged, replaced: !unchanged && before?.state === 'ready' ? before.version : null },
      ...{ code: null, reason: null, created_at: at, updated_at: at, ...end },
    };
    operations.set(operation.operation_id, operation);
    if (!unchanged) {
      const state = end.state === 'accepted' ? 'processing' : end.state;
      documents.set(`${id}/${key}`, { documentId: key, version, contentHash, state, chunks, query: searchParams });
    }
    if (options.events !== false && end.state !== 'accepted') {
      const newest = { version, version_hash: 'v', state: 'ready', content_hash: contentHash, chunks };
      const change = {
        ...{ kind: 'document', collection: id, document_id: key, seq: version, at, deleted: false, live: null },
        ...{ newest: { ...newest, stage: null, code: null, reason: null }, operation },
      };
      for (const watcher of watchers) watcher.write(event('document', change));
    }
    return [
      202,
      { document_id: key, operation_id: operation.operation_id, collection: id, state: 'accepted' },
    ] as const;
  };

  const documentView = (document: StubDocument, id: string) => {
    const newest = {
      ...{ version: document.version, version_hash: 'v', state: document.state, content_hash: document.contentHash },
      ...{ size_bytes: document.chunks * 100, content_type: null, title: document.query.get('title'), source: null },
      ...{ tags: document.query.getAll('tag'), metadata: JSON.parse(document.query.get('metadata') ?? '{}') as object },
      ...{ file_time: null, flow: 'default', text_bytes: 1, chunk_count: document.chunks, stage: null, code: null },
      ...{ reason: document.state === 'failed' ? 'it is a PDF' : null, created_at: at, updated_at: at, live_since: at },
    };
    return {
      ...{ document_id: document.documentId, collection: id, state: document.state, title: newest.title },
      ...{ source: document.query.get('source'), live: newest, newest, created_at: at, updated_at: at },
    };
  };

  const hit = (index: number) => ({
    ...{ chunk_id: `h:${index}`, document_id: 'a', collection: 'default', source: 'file:///docs/a.md', title: null },
    ...{ seq: index, score: 0.5, heading_path: ['Pump', 'Start\u001b[31m'], start: 0, end: 5, page: null },
    ...{ text: 'Open \u001b]0;owned\u0007valve', metadata: {}, ingested_at: at, hydrated: true },
  });
  const result = {
    ...{ answer: 'Open it [1].', found: true, model: 'extractive (stub)', finish_reason: 'stop' },
    citations: [
      {
        ...{ n: 1, chunk_id: 'h:0', document_id: 'a', collection: 'default', source: 'file:///docs/a.md', title: 'T' },
        ...{ seq: 0, heading_path: ['Pump'], start: 0, end: 4, quote: 'Open' },
      },
    ],
    usage: { input_tokens: 9, output_tokens: 3, context_tokens: 9 },
    ...{ included: [0], first_excluded: -1, missing_lists: [] },
  };

  const counts = () => ({
    ...{ pending: 0, processing: 0 },
    ready: [...documents.values()].filter((one) => one.state === 'ready').length,
    failed: [...documents.values()].filter((one) => one.state === 'failed').length,
  });

  const answer = async (request: IncomingMessage, url: URL): Promise<readonly [number, unknown] | undefined> => {
    const method = request.method ?? '';
    const parts = url.pathname.split('/').slice(3).map(decodeURIComponent);
    const [area, id, below, documentId] = parts;
    if (area === 'status') {
      const sum = [...documents.values()].reduce((total, one) => total + one.chunks, 0);
      const more = { collections: collections.size, workspace: 'default', version: '0.1.0' };
      return [200, { documents: counts(), chunks: sum, vectors: sum, dead_letters: 0, ...more }];
    }
    if (area === 'search') {
      const wanted = (await json(request)) as { explain?: boolean; limit?: number };
      const explain = wanted.explain === true ? { explain: { fusion: { method: 'relative', dense_weight: 0.3 } } } : {};
      const hits = [hit(0), hit(1)].slice(0, wanted.limit ?? 5);
      return [200, { hits, missing_lists: [], milliseconds: 1, ...explain }];
    }
    if (area === 'health') return [200, { version: '0.1.0', status: 'ok', checks: { librarian: 'ok' } }];
    if (area === 'models') {
      const embedding = [{ space, default: true, fusion: { method: 'relative', dense_weight: 0.3 } }];
      return [200, { embedding, language: { name: 'stub', context_window: 1 }, reranker: null }];
    }
    if (area === 'operations') {
      const found = operations.get(id ?? '');
      return found === undefined ? problem(404, 'not-found', 'no such operation') : [200, found];
    }
    if (area === 'collections' && id === undefined) {
      if (method === 'GET') return [200, { collections: [...collections.values()] }];
      const wanted = (await json(request)) as { collection: string };
      collections.set(wanted.collection, collection(wanted.collection));
      return [201, { ...collection(wanted.collection), notice: 'It is pinned to stub/4.' }];
    }
    if (area === 'collections' && id !== undefined) {
      const found = collections.get(id);
      if (found === undefined) return problem(404, 'collection-not-found', `there is no collection "${id}"`);
      if (below === 'documents' && (method === 'POST' || method === 'PUT')) {
        return submit(request, url, id, documentId);
      }
      if (below === 'documents') {
        const all = [...documents].filter(([key]) => key.startsWith(`${id}/`));
        return [200, { documents: all.map(([, document]) => documentView(document, id)), next: null }];
      }
      if (below === undefined) return [200, found];
    }
    return problem(404, 'not-found', `${method} ${url.pathname} is no route of the stub`);
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://stub');
    requests.push(`${request.method} ${url.pathname}`);
    if (url.pathname.endsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      watchers.add(response);
      response.on('close', () => watchers.delete(response));
      return;
    }
    if (url.pathname.endsWith('/ask')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const text of ['Open ', 'it [1].']) response.write(event('text', { kind: 'text', text }));
      response.end(options.answerEnds === false ? '' : event('end', { kind: 'end', result }));
      return;
    }
    const refused = options.refuse?.(request.method ?? '', url.pathname);
    void Promise.resolve(refused ?? answer(request, url)).then((answered) => {
      const [status, body] = answered ?? [500, {}];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    documents,
    operations,
    collections,
    uploads,
    requests,
    createCollection: (id: string, more: object = {}) => collections.set(id, collection(id, more)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const hash = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
