import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  output as make,
  defineProcessor,
  type AnyProcessor,
  type Delivery,
  type HandlerContext,
} from '../../../../services/runtime/processor.js';
import type { TObject } from '@sinclair/typebox';
import { topics } from '../../../../schema/topics.js';
import { SluiceError } from '../../../../services/domain/errors.js';
import type { BusRecord } from '../../../../services/ports/bus/port.js';
import { replyTopic } from '../../../../services/runtime/delivery/replies.js';
import { codec, noConfig, openBench, type Bench, eventually } from './harness.js';

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.end();
});

type Retrieval = Delivery<typeof topics.retrievalsRequested>;
type Context = HandlerContext<never, TObject>;
const answerable = [topics.retrievalsCompleted, topics.replies] as const;
const answer = (delivery: Retrieval) => {
  const topic = replyTopic(delivery, answerable);
  return topic === topics.replies
    ? make(topics.replies, { kind: 'retrieval', retrieval: { workspace: 'w' } })
    : make(topics.retrievalsCompleted, { workspace: 'w', continuation: delivery.value.continuation });
};

const answering = (
  handle: (
    delivery: Retrieval,
    context: Context,
  ) => Promise<ReturnType<typeof answer>[]> | AsyncIterable<ReturnType<typeof answer>>,
) =>
  defineProcessor({
    name: 'subject',
    input: topics.retrievalsRequested,
    outputs: answerable,
    ports: [],
    config: noConfig,
    concurrency: () => 4,
    handle,
  });

const options = { collections: [], limit: 5, mode: 'hybrid' };
const question = (id: string, headers: Record<string, string> = {}) => ({
  ...make(topics.retrievalsRequested, { workspace: 'w', query: id, options, continuation: `state of ${id}` }),
  headers: { 'correlation-id': id, 'reply-topic': 'replies', 'reply-inbox': 'inbox-1', ...headers },
});
const cancellation = (id: string) => make(topics.cancellations, { correlation_id: id }, { 'correlation-id': id });

/** Starts the processor and hears what is answered on `topic`. */
async function ask(processor: AnyProcessor, topic: string): Promise<{ opened: Bench; answers: BusRecord[] }> {
  const opened = await openBench([processor]);
  bench = opened;
  const answers: BusRecord[] = [];
  await opened.bus.consume(
    { group: 'the asker', topics: [topic], from: 'end' },
    {
      assigned: () => undefined,
      revoked: () => undefined,
      records: (_partition, records) => answers.push(...records),
      fatal: (error) => {
        throw error;
      },
    },
  );
  await opened.start(processor);
  return { opened, answers };
}
const answered = (answers: readonly BusRecord[], count = 1) =>
  eventually(() => {
    expect(answers).toHaveLength(count);
  });

describe('a request', () => {
  it('is answered where it says, with its correlation id, its inbox and its deadline', async () => {
    const { opened, answers } = await ask(
      answering((delivery) => Promise.resolve([answer(delivery)])),
      'replies',
    );
    const deadline = String(Date.now() + 60_000);
    await opened.publisher.publish([question('q1', { deadline })]);
    await answered(answers);
    expect(answers[0]?.key).toBe('q1');
    expect(answers[0]?.headers).toMatchObject({ 'correlation-id': 'q1', 'reply-inbox': 'inbox-1', deadline });
  });

  it('that names no topic, or one that cannot be answered on, is refused', () => {
    const delivery = (name?: string) => ({
      headers: { 'message-id': 'm', ...(name === undefined ? {} : { 'reply-topic': name }) },
    });
    expect(replyTopic(delivery('replies'), answerable)).toBe(topics.replies);
    expect(() => replyTopic(delivery(), answerable)).toThrow(/no reply-topic/);
    expect(() => replyTopic(delivery('purges'), answerable)).toThrow(/"purges".*retrievals-completed, replies/);
  });

  it.each([
    ['at once what is terminal', new SluiceError('collection-not-found', 'no such collection'), 1],
    ['after three attempts an outage', new SluiceError('unavailable', 'the model is down'), 3],
    ['after three attempts a bug', new TypeError('x is undefined'), 3],
  ])('that fails tells its asker: %s', async (_name, error, attempts) => {
    let calls = 0;
    const { opened, answers } = await ask(
      answering(() => {
        calls++;
        throw error;
      }),
      'replies',
    );
    await opened.publisher.publish([question('q1')]);
    await answered(answers);
    expect(calls).toBe(attempts);
    const code = error instanceof SluiceError ? error.code : 'internal';
    expect(await codec.decode('Reply', answers[0]?.value ?? Buffer.alloc(0))).toMatchObject({
      kind: 'error',
      error: { code, message: error.message },
    });
    expect(answers[0]?.headers).toMatchObject({ 'correlation-id': 'q1', 'reply-inbox': 'inbox-1' });
    await eventually(async () => {
      expect(await opened.lag(topics.retrievalsRequested)).toBe(0);
    });
  });

  it('of another stage gets its continuation back with the error', async () => {
    const { opened, answers } = await ask(
      answering(() => {
        throw new SluiceError('unsupported-mode', 'no lexical index');
      }),
      'retrievals-completed',
    );
    await opened.publisher.publish([question('q1', { 'reply-topic': 'retrievals-completed' })]);
    await answered(answers);
    expect(await codec.decode('RetrievalCompleted', answers[0]?.value ?? Buffer.alloc(0))).toMatchObject({
      workspace: 'w',
      continuation: 'state of q1',
      error: { code: 'unsupported-mode', message: 'no lexical index' },
    });
  });

  it('that cannot be read is answered, too', async () => {
    const { opened, answers } = await ask(
      answering(() => Promise.resolve([])),
      'replies',
    );
    const { headers } = question('q1');
    await opened.bus.publish([{ topic: 'retrievals-requested', key: 'q1', value: Buffer.from('noise'), headers }]);
    await answered(answers);
    expect(await codec.decode('Reply', answers[0]?.value ?? Buffer.alloc(0))).toMatchObject({
      error: { code: 'undecodable' },
    });
  });

  it('that is an answer itself and fails goes on to the asker’s inbox, not back to the same handler', async () => {
    let calls = 0;
    const processor = defineProcessor({
      name: 'subject',
      input: topics.retrievalsCompleted,
      outputs: [topics.replies],
      ports: [],
      config: noConfig,
      handle: () => {
        calls++;
        return Promise.reject(new SluiceError('invalid-argument', 'no'));
      },
    });
    const { opened, answers } = await ask(processor, 'replies');
    await opened.publisher.publish([make(topics.retrievalsCompleted, { workspace: 'w' })], {
      'correlation-id': 'q1',
      'reply-topic': 'retrievals-completed',
      'reply-inbox': 'inbox-1',
    });
    await answered(answers);
    expect(calls).toBe(1);
    expect(answers[0]?.headers).toMatchObject({ 'reply-inbox': 'inbox-1' });
  });

  it('whose answer has begun is not begun again', async () => {
    let calls = 0;
    const { opened, answers } = await ask(
      answering(async function* (delivery) {
        calls++;
        yield await Promise.resolve(answer(delivery));
        throw new SluiceError('unavailable', 'the stream broke');
      }),
      'replies',
    );
    await opened.publisher.publish([question('q1')]);
    await answered(answers, 2);
    expect(calls).toBe(1);
    expect(await codec.decode('Reply', answers[1]?.value ?? Buffer.alloc(0))).toMatchObject({
      kind: 'error',
      error: { code: 'unavailable' },
    });
  });
});

describe('a deadline', () => {
  it('that has passed: the request is dropped unhandled', async () => {
    const handled: string[] = [];
    const { opened, answers } = await ask(
      answering((delivery) => {
        handled.push(delivery.value.query);
        return Promise.resolve([answer(delivery)]);
      }),
      'replies',
    );
    await opened.publisher.publish([question('late', { deadline: String(Date.now() - 1) }), question('good')]);
    await answered(answers);
    expect(handled).toEqual(['good']);
  });

  it('aborts the handler, and nobody is answered', async () => {
    const reasons: string[] = [];
    const { opened, answers } = await ask(
      answering(async (delivery, { signal }) => {
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            reasons.push(String(signal.reason));
            resolve();
          });
        });
        return [answer(delivery)];
      }),
      'replies',
    );
    await opened.publisher.publish([question('q1', { deadline: String(Date.now() + 50) })]);
    await eventually(async () => {
      expect(await opened.lag(topics.retrievalsRequested)).toBe(0);
    });
    expect(reasons).toEqual(['HandlingEnded: handling ended: deadline']);
    expect(answers).toEqual([]);
  });
});

describe('a cancellation', () => {
  it('aborts the running handler; nothing of it is published', async () => {
    const started = vi.fn();
    const aborted = vi.fn();
    const { opened, answers } = await ask(
      answering(async (delivery, { signal }) => {
        if (delivery.value.query === 'other') return [answer(delivery)];
        started();
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            aborted();
            resolve();
          });
        });
        return [answer(delivery)];
      }),
      'replies',
    );
    await opened.publisher.publish([question('q1')]);
    await eventually(() => {
      expect(started).toHaveBeenCalled();
    });
    await opened.publisher.publish([cancellation('q1'), question('other')]);
    await answered(answers);
    await eventually(async () => {
      expect(aborted).toHaveBeenCalled();
      expect(await opened.lag(topics.retrievalsRequested)).toBe(0);
    });
    expect(answers.map(({ headers }) => headers['correlation-id'])).toEqual(['other']);
  });

  it('may overtake its request', async () => {
    const handled: string[] = [];
    const { opened, answers } = await ask(
      answering((delivery) => {
        handled.push(delivery.value.query);
        return Promise.resolve([answer(delivery)]);
      }),
      'replies',
    );
    await opened.publisher.publish([cancellation('q1')]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await opened.publisher.publish([question('q1'), question('q2')]);
    await answered(answers);
    expect(handled).toEqual(['q2']);
  });
});
