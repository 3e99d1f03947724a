import type { MessageHeaders } from '../../../schema/headers.js';
import { topicNamed, topics, type Topic } from '../../../schema/topics.js';
import { SluiceError } from '../../domain/errors.js';
import { output, type Delivery, type Output } from '../processor.js';
import { asError, codeOf } from './thrown.js';

/**
 * The topic on which a request wants its answer: one of `allowed`, the topics that the processor can answer on. Throws
 * invalid-argument if the request names none or another one. The answer inherits correlation id and inbox by itself.
 */
export function replyTopic<T extends Topic>(
  { headers }: { readonly headers: MessageHeaders },
  allowed: readonly T[],
): T {
  const name = headers['reply-topic'];
  const found = allowed.find((topic) => topic.name === name);
  if (found !== undefined) return found;
  throw new SluiceError(
    'invalid-argument',
    name === undefined
      ? 'the request has no reply-topic header'
      : `the request wants its answer on "${name}"; possible are ${allowed.map((topic) => topic.name).join(', ')}`,
  );
}

const field = (value: unknown, name: string): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const entry: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof entry === 'string' ? entry : undefined;
};

/**
 * What tells the asker of a request on `input` that it failed, or undefined if the request wants no answer that can
 * carry an error. `delivery` is undefined when the request could not be decoded.
 */
export function errorReply(
  input: Topic,
  headers: MessageHeaders,
  delivery: Delivery<Topic> | undefined,
  thrown: unknown,
): Output | undefined {
  const error = { code: codeOf(thrown), message: asError(thrown).message };
  const named = headers['reply-topic'] === undefined ? undefined : topicNamed(headers['reply-topic']);
  // An answer that itself could not be handled must not come back to the same handler: its asker's inbox is next.
  const target = named === input ? topics.replies : named;
  if (target === topics.replies) return output(topics.replies, { kind: 'error', error });
  if (target === topics.retrievalsCompleted) {
    return output(topics.retrievalsCompleted, {
      workspace: headers.workspace ?? field(delivery?.value, 'workspace') ?? '',
      continuation: field(delivery?.value, 'continuation') ?? null,
      error,
    });
  }
  return undefined;
}
