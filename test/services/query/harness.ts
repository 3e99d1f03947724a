import { Value } from '@sinclair/typebox/value';
import { pino } from 'pino';
import { expect } from 'vitest';
import { messageType } from '../../../schema/codec.js';
import type { Messages, NewMessages, Reply, RetrievalCompleted, RetrievalOptions } from '../../../schema/generated.js';
import type { MessageHeaders } from '../../../schema/headers.js';
import { topics } from '../../../schema/topics.js';
import { query } from '../../../services/query/query.js';
import type { BlobStore } from '../../../services/ports/blob-store/port.js';
import type { Ports } from '../../../services/ports/ports.js';
import { portWith } from './fakes.js';

export type Request = Partial<Omit<NewMessages['RetrievalRequested'], 'options'>> & {
  readonly options?: Partial<RetrievalOptions>;
};
export type Setting = Partial<Pick<Ports, 'blobStore' | 'reranker'>> &
  Pick<Ports, 'catalog' | 'embeddingModels' | 'vectorStore'> & { readonly signal?: AbortSignal };

/** What the query processor publishes for a request; request and result have been through their schemas. */
export async function publish(request: Request, setting: Setting, headers: Partial<MessageHeaders> = {}) {
  const { signal, ...ports } = setting;
  const asked: NewMessages['RetrievalRequested'] = {
    workspace: 'acme',
    query: 'mill',
    ...request,
    options: { collections: ['kb'], ...request.options },
  };
  const outputs = await query.handle(
    {
      value: throughSchema('RetrievalRequested', asked),
      headers: { 'message-id': 'm', 'reply-topic': topics.retrievalsCompleted.name, ...headers },
      ...{ partition: 0, offset: 1n, timestamp: 0, attempt: 1 },
    },
    {
      config: Value.Create(query.config),
      ports: { blobStore: portWith<BlobStore>('blobStore', {}), reranker: undefined, ...ports },
      log: pino({ level: 'silent' }),
      signal: signal ?? new AbortController().signal,
    },
  );
  if (Symbol.asyncIterator in outputs) throw new Error('the handler does not stream');
  return outputs;
}

export async function retrieve(request: Request, setting: Setting): Promise<RetrievalCompleted> {
  const [first] = await publish(request, setting);
  if (first === undefined || !('workspace' in first.value)) throw new Error('no retrieval was published');
  expect(first.topic).toBe(topics.retrievalsCompleted);
  return throughSchema('RetrievalCompleted', first.value);
}

export async function retrieveForGateway(request: Request, setting: Setting): Promise<Reply> {
  const [first] = await publish(request, setting, { 'reply-topic': topics.replies.name });
  if (first === undefined || !('kind' in first.value)) throw new Error('no reply was published');
  expect(first.topic).toBe(topics.replies);
  return throughSchema('Reply', first.value);
}

function throughSchema<N extends 'RetrievalRequested' | 'RetrievalCompleted' | 'Reply'>(
  name: N,
  value: NewMessages[N],
) {
  const type = messageType(name);
  return type.fromBuffer(type.toBuffer(value)) as Messages[N];
}

export const idsOf = ({ hits, error }: RetrievalCompleted): string[] => {
  if (error !== null) throw new Error(`${error.code}: ${error.message}`);
  return hits.map(({ chunk_id: id }) => id);
};
