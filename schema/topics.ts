import type { MessageName } from './codec.js';
import type { Messages, NewMessages } from './generated.js';

/** What must not be lost (`log`), or what has an asker who waits (`request`). */
export type TopicClass = 'log' | 'request';

/** A named stream of messages of one kind. */
export interface Topic<N extends MessageName = MessageName> {
  readonly name: string;
  readonly class: TopicClass;
  readonly message: N;
  /** Messages of equal key are handled in order; undefined on request topics, whose key is the correlation id. */
  key(message: NewMessages[N]): string | undefined;
  /** Log topics: how long read records are kept, when it is not the configured retention. */
  readonly retentionMs?: number;
}

const day = 86_400_000;
const document = (message: { workspace: string; collection: string; document_id?: string }): string =>
  message.document_id === undefined || message.document_id === ''
    ? `${message.workspace}/${message.collection}`
    : `${message.workspace}/${message.collection}/${message.document_id}`;
const byCorrelation = (): undefined => undefined;

const topic = <N extends MessageName>(definition: Topic<N>): Topic<N> => definition;

export const topics = {
  documentCommands: topic({ name: 'document-commands', class: 'log', message: 'DocumentCommand', key: document }),
  documentsAccepted: topic({ name: 'documents-accepted', class: 'log', message: 'DocumentAccepted', key: document }),
  documentsDecoded: topic({ name: 'documents-decoded', class: 'log', message: 'DocumentDecoded', key: document }),
  chunksCreated: topic({
    name: 'chunks-created',
    class: 'log',
    message: 'ChunksCreated',
    key: (message) => `${message.version_hash}/${message.pack}/${message.space}`,
  }),
  chunksEmbedded: topic({
    name: 'chunks-embedded',
    class: 'log',
    message: 'ChunksEmbedded',
    key: ({ metadata, space }) =>
      metadata.import_id == null
        ? `${metadata.version_hash}/${metadata.pack}/${space}`
        : `${metadata.workspace}/${metadata.collection}/import/${metadata.bucket}`,
  }),
  payloadUpdates: topic({
    name: 'payload-updates',
    class: 'log',
    message: 'PayloadUpdate',
    key: (message) => message.version_hash,
  }),
  purges: topic({ name: 'purges', class: 'log', message: 'Purge', key: (message) => message.version_hash }),
  documentEvents: topic({
    name: 'document-events',
    class: 'log',
    message: 'DocumentEvent',
    key: document,
    retentionMs: 7 * day,
  }),
  questionsAsked: topic({ name: 'questions-asked', class: 'request', message: 'QuestionAsked', key: byCorrelation }),
  retrievalsRequested: topic({
    name: 'retrievals-requested',
    class: 'request',
    message: 'RetrievalRequested',
    key: byCorrelation,
  }),
  retrievalsCompleted: topic({
    name: 'retrievals-completed',
    class: 'request',
    message: 'RetrievalCompleted',
    key: byCorrelation,
  }),
  replies: topic({ name: 'replies', class: 'request', message: 'Reply', key: byCorrelation }),
  cancellations: topic({ name: 'cancellations', class: 'request', message: 'Cancellation', key: byCorrelation }),
} as const;

/** The id of the embedding space in a key of chunks-created. */
export const spaceOfChunksKey = (key: string): string => key.split('/').slice(2).join('/');

/** What a processor of this topic receives. */
export type MessageOf<T extends Topic> = Messages[T['message']];

/** The topic of this name, or undefined. */
export const topicNamed = (name: string): Topic | undefined =>
  Object.values<Topic>(topics).find((candidate) => candidate.name === name);
