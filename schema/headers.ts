/** What travels beside every message. On the wire each is a UTF-8 string; absent ones are left out. */
export interface MessageHeaders {
  /** Derived: UUIDv5 of the input's id and the output's index. */
  readonly 'message-id': string;
  /** Requests: shared by question, retrieval, reply and cancellation. */
  readonly 'correlation-id'?: string;
  /** Requests: the name of the topic for the answer. */
  readonly 'reply-topic'?: string;
  /** Requests: the gateway instance that waits. */
  readonly 'reply-inbox'?: string;
  /** Requests: epoch ms after which nobody waits any more. */
  readonly deadline?: string;
  readonly workspace?: string;
  readonly flow?: string;
  readonly traceparent?: string;
  /** Dead letters that are replayed: how often the message was tried before. */
  readonly attempt?: string;
}

export const headerNames = [
  'message-id',
  'correlation-id',
  'reply-topic',
  'reply-inbox',
  'deadline',
  'workspace',
  'flow',
  'traceparent',
  'attempt',
] as const satisfies readonly (keyof MessageHeaders)[];
