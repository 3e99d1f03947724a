import { afterEach, describe, expect, it, vi } from 'vitest';
import { singleObjectCodec } from '../../../../schema/single-object.js';
import { topics } from '../../../../schema/topics.js';
import { SluiceError, errorTable, type ErrorCode } from '../../../../services/domain/errors.js';
import { deadLetterHeaders } from '../../../../services/runtime/delivery/dead-letter.js';
import { output, type Delivery } from '../../../../services/runtime/processor.js';
import { codec, openBench, purge, purgeProcessor, type Bench, eventually } from './harness.js';

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.end();
});

const letters = 'purges.subject.dead-letter';
type Purge = Delivery<typeof topics.purges>;

/** Runs messages `bad` and `good` through a processor that throws `thrown()` for `bad`; returns its attempts at `bad`. */
async function runThrowing(
  thrown: () => unknown,
  throwsAt: (attempt: number) => boolean = () => true,
): Promise<number[]> {
  const attempts: number[] = [];
  const processor = purgeProcessor((delivery) => {
    if (delivery.value.document_id === 'bad') {
      attempts.push(delivery.attempt);
      if (throwsAt(delivery.attempt)) throw thrown();
    }
    return Promise.resolve([]);
  });
  const opened = await openBench([processor]);
  bench = opened;
  await opened.start(processor);
  await opened.publisher.publish([purge('bad'), purge('good')], { 'message-id': 'the-id', flow: 'fast' });
  await eventually(async () => {
    expect(await opened.lag(processor)).toBe(0);
  });
  return attempts;
}

describe('a handler that throws', () => {
  const terminal = (Object.keys(errorTable) as ErrorCode[]).filter((code) => errorTable[code].class === 'terminal');
  it.each(terminal)('%s: a dead letter at once', async (code) => {
    expect(await runThrowing(() => new SluiceError(code, 'because'))).toEqual([1]);
    const [letter, ...others] = (await bench?.all(letters)) ?? [];
    expect(others).toEqual([]);
    expect(letter?.headers).toMatchObject({ 'error-code': code, 'error-message': 'because', attempts: '1' });
  });

  const anything: [string, () => unknown][] = [
    ['Error', () => new Error('bug')],
    ['TypeError', () => new TypeError('bug')],
    ['RangeError', () => new RangeError('bug')],
    ['an AbortError of its own', () => new DOMException('aborted', 'AbortError')],
    ['AggregateError', () => new AggregateError([new Error('a')], 'bug')],
    ['internal', () => new SluiceError('internal', 'bug')],
    ['invalid-response', () => new SluiceError('invalid-response', 'odd')],
    ['a string', () => 'bug'],
    ['undefined', () => undefined],
    ['null', () => null],
    ['a symbol', () => Symbol('bug')],
    ['an object without text', () => Object.create(null) as unknown],
    [
      'an object whose text throws',
      () => ({
        toString: () => {
          throw new Error('no text');
        },
      }),
    ],
  ];
  it.each(anything)('%s: five attempts, then a dead letter', async (_name, thrown) => {
    expect(await runThrowing(thrown)).toEqual([1, 2, 3, 4, 5]);
    const [letter] = (await bench?.all(letters)) ?? [];
    expect(letter?.headers).toMatchObject({ attempts: '5' });
  });

  it.each(['unavailable', 'storage-full'] as const)('%s: tried until it passes, no dead letter', async (code) => {
    const attempts = await runThrowing(
      () => new SluiceError(code, 'down'),
      (attempt) => attempt < 25,
    );
    expect(attempts).toHaveLength(25);
    expect(await bench?.all(letters)).toEqual([]);
  });

  it('rejects instead: the same', async () => {
    const processor = purgeProcessor(() => Promise.reject(new SluiceError('invalid-document', 'no')));
    bench = await openBench([processor]);
    await bench.start(processor);
    await bench.publisher.publish([purge('bad')]);
    await eventually(async () => {
      expect(await bench?.all(letters)).toHaveLength(1);
    });
  });
});

describe('a dead letter', () => {
  it('keeps key, headers and bytes, and says where from and why', async () => {
    await runThrowing(() => new SluiceError('invalid-document', 'not a purge'));
    const [letter] = (await bench?.all(letters)) ?? [];
    const [original] = ((await bench?.all('purges')) ?? []).filter(({ key }) => key === 'bad');
    expect(letter?.key).toBe('bad');
    expect(letter?.value).toEqual(original?.value);
    expect(letter?.headers).toMatchObject({
      ...original?.headers,
      'original-topic': 'purges',
      'original-partition': String(original?.partition),
      'original-offset': String(original?.offset),
      'original-timestamp': String(original?.timestamp),
      'consumer-group': 'subject',
      processor: 'subject',
      'error-code': 'invalid-document',
      'error-message': 'not a purge',
      'error-stack': expect.stringContaining('SluiceError') as string,
      attempts: '1',
    });
    expect(Object.keys(letter?.headers ?? {}).sort()).toEqual(
      [...deadLetterHeaders, ...Object.keys(original?.headers ?? {})].sort(),
    );
  });

  it('goes with what the declaration says beside it, before the offset is committed', async () => {
    const processor = {
      ...purgeProcessor(() => {
        throw new SluiceError('invalid-document', 'no');
      }),
      onDeadLetter: ({ value }: Purge, error: unknown) => [
        output(topics.documentCommands, {
          kind: 'failed',
          workspace: value.workspace,
          collection: value.collection,
          document_id: value.document_id,
          reason: error instanceof Error ? error.message : '',
        }),
      ],
    };
    const opened = await openBench([processor]);
    bench = opened;
    await opened.start(processor);
    await opened.publisher.publish([purge('bad')], { workspace: 'w' });
    await eventually(async () => {
      expect(await opened.lag(processor)).toBe(0);
    });
    expect(await opened.all(letters)).toHaveLength(1);
    const [command] = await opened.all('document-commands');
    expect(command?.headers).toMatchObject({ workspace: 'w' });
    const decoded = await codec.decode('DocumentCommand', command?.value ?? Buffer.alloc(0));
    expect(decoded).toMatchObject({ kind: 'failed', document_id: 'bad', reason: 'no' });
  });

  it('is written even if onDeadLetter throws', async () => {
    const processor = {
      ...purgeProcessor(() => {
        throw new SluiceError('invalid-document', 'no');
      }),
      onDeadLetter: () => {
        throw new Error('a second bug');
      },
    };
    const opened = await openBench([processor]);
    bench = opened;
    await opened.start(processor);
    await opened.publisher.publish([purge('bad')]);
    await eventually(async () => {
      expect(await opened.lag(processor)).toBe(0);
    });
    expect(await opened.all(letters)).toHaveLength(1);
  });
});

describe('poison', () => {
  const poison = [Buffer.alloc(0), Buffer.from('{"json": true}'), Buffer.from('c301ffffffffffffffff00', 'hex')];
  it('bytes that are no message become dead letters as they are, and the next message is handled', async () => {
    const handled: string[] = [];
    const processor = purgeProcessor(({ value }) => {
      handled.push(value.document_id);
      return Promise.resolve([]);
    });
    const opened = await openBench([processor]);
    bench = opened;
    await opened.start(processor);
    const cutOff = codec.encode('Purge', purge('x').value).subarray(0, 14);
    const all = [...poison, cutOff];
    await opened.bus.publish(all.map((value) => ({ topic: 'purges', key: 'k', value, headers: { odd: 'header' } })));
    await opened.publisher.publish([purge('k')]);
    await eventually(async () => {
      expect(await opened.lag(processor)).toBe(0);
    });
    expect(handled).toEqual(['k']);
    const found = await opened.all(letters);
    expect(found.map(({ value }) => value.toString('hex'))).toEqual(all.map((value) => value.toString('hex')));
    for (const { headers } of found) expect(headers).toMatchObject({ odd: 'header', 'error-code': 'undecodable' });
  });

  it('a codec that cannot be reached is waited for', async () => {
    const handled: string[] = [];
    const processor = purgeProcessor(({ value }) => {
      handled.push(value.document_id);
      return Promise.resolve([]);
    });
    const opened = await openBench([processor]);
    bench = opened;
    let failures = 12;
    const plain = singleObjectCodec();
    await opened.start(processor, {
      codec: {
        ...plain,
        decode: (name, bytes) => {
          if (failures-- > 0) throw new SluiceError('unavailable', 'the registry is down');
          return plain.decode(name, bytes);
        },
      },
    });
    await opened.publisher.publish([purge('a')]);
    await eventually(() => {
      expect(handled).toEqual(['a']);
    });
    expect(await opened.all(letters)).toEqual([]);
  });
});

describe('an outage', () => {
  it('of everything dead-letters nothing, however long', async () => {
    let down = true;
    const processor = purgeProcessor(({ value }) => {
      if (down) throw new SluiceError('unavailable', 'the store is down');
      return Promise.resolve([output(topics.documentCommands, command(value))]);
    });
    const opened = await openBench([processor]);
    bench = opened;
    await opened.start(processor, { settings: { isolatedAfterMs: 20 } });
    await opened.publisher.publish(Array.from({ length: 50 }, (_, index) => purge(`d${index}`)));
    await new Promise((resolve) => setTimeout(resolve, 150));
    down = false;
    await eventually(async () => {
      expect(await opened.lag(processor)).toBe(0);
    });
    expect(await opened.all(letters)).toEqual([]);
    expect(await opened.all('document-commands')).toHaveLength(50);
  });

  it('that one message alone meets, while others of its flow pass, ends in a dead letter', async () => {
    const processor = purgeProcessor(({ value }) => {
      if (value.document_id === 'bad') throw new SluiceError('unavailable', 'HTTP 500');
      return Promise.resolve([output(topics.documentCommands, command(value))]);
    });
    const opened = await openBench([processor]);
    bench = opened;
    await opened.start(processor, { settings: { isolatedAfterMs: 30 } });
    await opened.publisher.publish([purge('bad')], { flow: 'a' });
    // Those of another flow prove nothing: its model is another one.
    const pass = async (flow: string) => opened.publisher.publish([purge(`good ${Math.random()}`)], { flow });
    const otherFlow = setInterval(() => void pass('b'), 2);
    await new Promise((resolve) => setTimeout(resolve, 150));
    clearInterval(otherFlow);
    expect(await opened.all(letters)).toEqual([]);
    const sameFlow = setInterval(() => void pass('a'), 2);
    try {
      await eventually(async () => {
        expect(await opened.all(letters)).toHaveLength(1);
      });
    } finally {
      clearInterval(sameFlow);
    }
    await eventually(async () => {
      expect(await opened.lag(processor)).toBe(0);
    });
  });

  it('of the bus does not handle the message again', async () => {
    let calls = 0;
    const processor = purgeProcessor(({ value }) => {
      calls++;
      return Promise.resolve([output(topics.documentCommands, command(value))]);
    });
    const opened = await openBench([processor]);
    bench = opened;
    let failures = 10;
    await opened.start(processor, {
      bus: {
        ...opened.bus,
        publish: (records) =>
          failures-- > 0 ? Promise.reject(new SluiceError('unavailable', 'no leader')) : opened.bus.publish(records),
      },
    });
    await opened.publisher.publish([purge('a')]);
    await eventually(async () => {
      expect(await opened.all('document-commands')).toHaveLength(1);
    });
    expect(calls).toBe(1);
  });
});

const command = ({ workspace, collection, document_id }: Purge['value']) => ({
  kind: 'purged',
  workspace,
  collection,
  document_id,
});

it('an output to a topic that is not declared is a bug of the processor, not a message', async () => {
  const processor = {
    ...purgeProcessor(({ value }) => Promise.resolve([output(topics.documentCommands, command(value))])),
    outputs: [],
  };
  const opened = await openBench([processor]);
  bench = opened;
  await opened.start(processor);
  await opened.publisher.publish([purge('a')]);
  await eventually(async () => {
    expect(await opened.all(letters)).toHaveLength(1);
  });
  expect(await opened.all('document-commands')).toEqual([]);
});

it('a consumer that cannot go on ends the processor and says so', async () => {
  const processor = purgeProcessor(() => Promise.resolve([]));
  const opened = await openBench([processor]);
  bench = opened;
  let fail: (error: Error) => void = () => undefined;
  const onFatal = vi.fn();
  const running = await opened.start(processor, {
    onFatal,
    bus: {
      ...opened.bus,
      consume: (options, events) => {
        fail = (error) => {
          events.fatal(error);
        };
        return opened.bus.consume(options, events);
      },
    },
  });
  expect(running.health()).toEqual({ live: true, ready: true });
  fail(new Error('offset out of range'));
  expect(onFatal).toHaveBeenCalledWith(new Error('offset out of range'));
  expect(running.health().live).toBe(false);
});
