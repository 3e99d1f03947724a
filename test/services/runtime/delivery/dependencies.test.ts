import { afterEach, expect, it } from 'vitest';
import { topics } from '../../../../schema/topics.js';
import { SluiceError } from '../../../../services/domain/errors.js';
import { defineProcessor, output, type Delivery } from '../../../../services/runtime/processor.js';
import { eventually, noConfig, openBench, purge, type Bench } from './harness.js';

let bench: Bench | undefined;
afterEach(() => bench?.end());

/** Messages depend on the server that their key begins with; `call` asks it. */
const subject = (call: (server: string) => Promise<void>) =>
  defineProcessor({
    name: 'subject',
    input: topics.purges,
    outputs: [topics.documentCommands],
    ports: [],
    config: noConfig,
    dependency: (key) => key.charAt(0),
    batch: () => ({ maxItems: 8, maxBytes: 10_000_000, lingerMs: 5 }),
    async handleBatch(deliveries: readonly Delivery<typeof topics.purges>[]) {
      for (const server of new Set(deliveries.map(({ value }) => value.document_id.charAt(0)))) await call(server);
      return deliveries.map(({ value: { document_id, version } }) => ({
        outputs: [
          output(topics.documentCommands, {
            ...{ kind: 'purged', workspace: 'w', collection: 'c', document_id, version },
          }),
        ],
      }));
    },
  });

const many = (server: string) => Array.from({ length: 100 }, (_, index) => purge(`${server}${index}`));
const mixed = many('a').flatMap((each, index) => [each, ...many('b').slice(index, index + 1)]);

async function passedKeys(opened: Bench): Promise<Set<string | undefined>> {
  return new Set((await opened.all('document-commands')).map(({ key }) => key?.split('/').at(-1)?.charAt(0)));
}

it('a server that hangs holds up only the messages that depend on it, and they pass when it answers', async () => {
  let answer: () => void = () => undefined;
  const hanging = new Promise<void>((resolve) => (answer = resolve));
  const processor = subject((server) => (server === 'a' ? hanging : Promise.resolve()));
  const opened = (bench = await openBench([processor]));
  await opened.publisher.publish(mixed);
  await opened.start(processor);
  await eventually(async () => expect(await opened.all('document-commands')).toHaveLength(100));
  expect(await passedKeys(opened)).toEqual(new Set(['b']));
  answer();
  await eventually(async () => expect(await opened.lag(processor)).toBe(0));
  expect(await opened.all('document-commands')).toHaveLength(200);
});

it('a server that is down while another answers loses no message, however long', async () => {
  let down = true;
  const calls = { a: 0, b: 0 };
  const processor = subject((server) => {
    calls[server === 'a' ? 'a' : 'b']++;
    return server === 'a' && down ? Promise.reject(new SluiceError('unavailable', 'refused')) : Promise.resolve();
  });
  const opened = (bench = await openBench([processor]));
  await opened.publisher.publish(mixed);
  await opened.start(processor, { settings: { isolatedAfterMs: 1 } });
  await eventually(async () => expect(await opened.all('document-commands')).toHaveLength(100));
  // None of those that pass was tried again because of those that do not.
  expect(calls.b).toBeLessThan(100);
  const passing = setInterval(() => void opened.publisher.publish([purge(`b ${Math.random()}`)]), 5);
  try {
    const before = calls.a;
    await eventually(() => expect(calls.a).toBeGreaterThan(before + 200));
  } finally {
    clearInterval(passing);
  }
  expect(await opened.all('purges.subject.dead-letter')).toEqual([]);
  down = false;
  await eventually(async () => expect(await opened.lag(processor)).toBe(0));
  expect(await passedKeys(opened)).toEqual(new Set(['a', 'b']));
  expect(await opened.all('purges.subject.dead-letter')).toEqual([]);
});
