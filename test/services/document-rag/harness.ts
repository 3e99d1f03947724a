import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { messageType } from '../../../schema/codec.js';
import type { Answer, NewMessages, Reply, RetrievalCompleted } from '../../../schema/generated.js';
import { chunkId, contentHash, packOf, packSize, versionHash } from '../../../services/domain/identity.js';
import { codePoints, type Chunk } from '../../../services/domain/text.js';
import { documentRagAnswer } from '../../../services/document-rag/answer.js';
import { answerConfig, type AnswerConfig } from '../../../services/document-rag/answer-config.js';
import { createFilesystemBlobStore } from '../../../services/ports/blob-store/filesystem/filesystem.js';
import { writePack } from '../../../services/ports/blob-store/packs.js';
import type { BlobStore } from '../../../services/ports/blob-store/port.js';
import type { GenerationPart, GenerationRequest, LanguageModel } from '../../../services/ports/language-model/port.js';

const workspace = 'acme';
const collection = 'handbook';

/** A blob store of its own for one test. */
export async function blobStoreForTest(): Promise<BlobStore> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-document-rag-'));
  const store = await createFilesystemBlobStore({ folder });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return store;
}

export interface StoredDocument {
  readonly text: string;
  readonly versionHash: string;
  readonly hits: RetrievalCompleted['hits'];
}

/** Stores a document whose chunks are the given pieces of its text, and makes hits of all of them. */
export async function storeDocument(
  store: BlobStore,
  id: string,
  pieces: readonly (string | Partial<Chunk>)[],
  separator = '\n\n',
): Promise<StoredDocument> {
  const hash = versionHash({ workspace, collection, documentId: id }, 1);
  let text = '';
  const chunks = pieces.map((piece, seq): Chunk => {
    const given = typeof piece === 'string' ? { text: piece } : piece;
    const chunkText = given.text ?? '';
    if (seq > 0) text += separator;
    const start = codePoints(text);
    text += chunkText;
    return { headingPath: [], ...given, seq, start, end: start + codePoints(chunkText), text: chunkText };
  });
  const textSha256 = contentHash(Buffer.from(text));
  for (let pack = 0; pack <= packOf(chunks.length - 1); pack++) {
    const inPack = chunks.slice(pack * packSize, (pack + 1) * packSize);
    await writePack(store, workspace, hash, pack, { textSha256, chunks: inPack });
  }
  return { text, versionHash: hash, hits: chunks.map(({ seq }) => hitOf(id, hash, seq)) };
}

export const hitOf = (id: string, hash: string, seq: number): RetrievalCompleted['hits'][number] => ({
  ...{ chunk_id: chunkId(hash, seq), document_id: id, collection, version_hash: hash, seq },
  ...{ source: `file:///${id}.md`, title: `Title of ${id}`, score: 1 - seq / 100, rerank_score: null },
  ...{ metadata: '{}', ingested_at: 0, orphaned: false, explain: null },
});

export const found = (
  question: string,
  hits: RetrievalCompleted['hits'],
  rest: Partial<RetrievalCompleted> = {},
): RetrievalCompleted => ({
  ...{ workspace, error: null, hits, missing_lists: [], explain: null, embeddings: null, milliseconds: 1 },
  continuation: JSON.stringify({ question, flow: 'default', max_context_tokens: null, turns: [] }),
  ...rest,
});

/** A model that records its requests and gives the parts it is told to. */
export function scriptedModel(
  generate: (request: GenerationRequest) => AsyncIterable<GenerationPart>,
  rest: Partial<LanguageModel> = {},
): LanguageModel & { readonly requests: GenerationRequest[] } {
  const requests: GenerationRequest[] = [];
  return {
    name: 'scripted',
    contextWindow: 100_000,
    countTokens: (text) => Math.ceil(text.length / 4),
    close: () => Promise.resolve(),
    ...rest,
    requests,
    generate(request) {
      requests.push(request);
      return generate(request);
    },
  };
}

export const end = (rest: Partial<Extract<GenerationPart, { kind: 'end' }>> = {}): GenerationPart => ({
  ...{ kind: 'end', finishReason: 'stop', inputTokens: 11, outputTokens: 7, found: true },
  ...rest,
});

/** A model that says this, piece by piece. */
export const saying = (...pieces: string[]): ReturnType<typeof scriptedModel> =>
  scriptedModel(async function* () {
    for (const text of pieces) yield { kind: 'text', text };
    await Promise.resolve();
    yield end();
  });

export interface AnswerSetting {
  readonly blobStore: BlobStore;
  readonly languageModel: LanguageModel;
  readonly signal?: AbortSignal;
  readonly config?: Partial<AnswerConfig>;
}

/** What the answer processor publishes, as it comes; every reply has been through its schema. */
export async function* replies(retrieval: RetrievalCompleted, setting: AnswerSetting): AsyncGenerator<Reply> {
  const outputs = documentRagAnswer.handle(
    {
      value: retrieval,
      headers: { 'message-id': 'm', 'reply-inbox': 'gateway-1' },
      ...{ partition: 0, offset: 7n, timestamp: 0, attempt: 1 },
    },
    {
      config: { ...Value.Create(answerConfig), ...setting.config },
      ports: { blobStore: setting.blobStore, languageModel: setting.languageModel },
      log: pino({ level: 'silent' }),
      signal: setting.signal ?? new AbortController().signal,
    },
  );
  if (!(Symbol.asyncIterator in outputs)) throw new Error('the handler streams');
  for await (const { value } of outputs) yield throughSchema(value);
}

function throughSchema(value: NewMessages['Reply']): Reply {
  const type = messageType('Reply');
  return type.fromBuffer(type.toBuffer(value)) as Reply;
}

export async function allReplies(retrieval: RetrievalCompleted, setting: AnswerSetting): Promise<Reply[]> {
  const all: Reply[] = [];
  for await (const reply of replies(retrieval, setting)) all.push(reply);
  return all;
}

/** The answer of a run that must have one, last, its text the parts joined. */
export function answerOf(all: readonly Reply[]): Answer {
  const answer = all.at(-1)?.answer ?? undefined;
  if (answer === undefined) throw new Error(`no answer but ${JSON.stringify(all.at(-1))}`);
  const parts = all.slice(0, -1);
  if (parts.some(({ kind }) => kind !== 'answer-part')) throw new Error('something else among the parts');
  if (parts.map(({ text }) => text).join('') !== answer.text) throw new Error('the parts are not the text');
  return answer;
}
