import { UndecodableError, type Codec } from '../../../schema/codec.js';
import { topicNamed } from '../../../schema/topics.js';
import { SluiceError } from '../../../services/domain/errors.js';
import type { BusRecord } from '../../../services/ports/bus/port.js';
import type { LetterKey } from '../../../services/ports/catalog/handled-letters.js';
import { isDeadLetterTopic } from '../../../services/runtime/delivery/dead-letter.js';
import type { Call, Caller, GatewayContext } from '../context.js';
import { subjectOf, type Subject } from './subject.js';

/** A message that a processor gave up. */
export interface Letter extends LetterKey {
  /** As it stands on the dead-letter topic. */
  readonly record: BusRecord;
  /** The topic that it came from. */
  readonly topic: string;
  readonly processor: string;
  readonly message: unknown;
  readonly subject: Subject;
}

const idOf = ({ headers }: BusRecord): string =>
  [
    `${headers['original-topic'] ?? ''}.${headers['processor'] ?? ''}`,
    headers['original-partition'] ?? '',
    headers['original-offset'] ?? '',
  ].join(':');

/**
 * The dead letters that concern the caller's workspace, each once: a processor that dies between the letter and its
 * offset writes it again. Throws unavailable.
 */
export async function* readLetters(
  { ports, codec }: Pick<GatewayContext, 'ports' | 'codec'>,
  { caller, signal }: Call,
): AsyncGenerator<Letter> {
  const seen = new Set<string>();
  for (const { name } of await ports.bus.topics()) {
    if (!isDeadLetterTopic(name)) continue;
    for await (const record of ports.bus.read(name)) {
      signal.throwIfAborted();
      const id = idOf(record);
      if (seen.has(id) || !mayConcern(caller, record.headers['workspace'])) continue;
      const letter = await open(codec, id, record);
      if (!concerns(caller, letter)) continue;
      seen.add(id);
      yield letter;
    }
  }
}

/** One letter of the caller's workspace. Throws not-found. */
export async function requireLetter(context: GatewayContext, call: Call, id: string): Promise<Letter> {
  for await (const letter of readLetters(context, call)) if (letter.id === id) return letter;
  throw new SluiceError('not-found', `there is no dead letter "${id}": see sluice dead-letters list --all`);
}

async function open(codec: Codec, id: string, record: BusRecord): Promise<Letter> {
  const { headers } = record;
  const topic = headers['original-topic'] ?? '';
  const message = await decoded(codec, topic, record.value);
  return {
    ...{ id, record, topic, message, subject: subjectOf(message) },
    publishedAt: Number(headers['original-timestamp'] ?? 0),
    processor: headers['processor'] ?? '',
  };
}

async function decoded(codec: Codec, topic: string, value: Buffer): Promise<unknown> {
  const known = topicNamed(topic);
  if (known === undefined) return undefined;
  try {
    return await codec.decode(known.message, value);
  } catch (error) {
    if (error instanceof UndecodableError) return undefined;
    throw error;
  }
}

const mayConcern = (caller: Caller, workspace: string | undefined): boolean =>
  workspace === undefined || workspace === caller.workspace;

/** One that says nowhere whose it is was unreadable: whoever runs the server alone is to know of it. */
function concerns(caller: Caller, { record, subject }: Letter): boolean {
  const workspace = subject.workspace ?? record.headers['workspace'];
  return workspace === undefined ? caller.local : workspace === caller.workspace;
}
