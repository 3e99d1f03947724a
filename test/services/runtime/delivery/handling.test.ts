import { afterEach, expect, test, vi } from 'vitest';
import { topics } from '../../../../schema/topics.js';
import { derivedMessageId } from '../../../../services/domain/identity.js';
import { defineProcessor, output, type Delivery } from '../../../../services/runtime/processor.js';
import { codec, noConfig, openBench, purge, type Bench } from './harness.js';

let bench: Bench;
afterEach(async () => {
  await bench.end();
});

type Purge = Delivery<typeof topics.purges>;
const purged = (value: Purge['value']) =>
  output(topics.documentCommands, {
    kind: 'purged',
    workspace: value.workspace,
    collection: value.collection,
    document_id: value.document_id,
    version: value.version,
  });

const confirming = defineProcessor({
  name: 'confirming',
  input: topics.purges,
  outputs: [topics.documentCommands],
  ports: [],
  config: noConfig,
  concurrency: () => 8,
  handle: ({ value }) => Promise.resolve([purged(value)]),
});

test('a message is handled, its output is published with a derived id, its offset is committed', async () => {
  bench = await openBench([confirming]);
  await bench.start(confirming);
  await bench.publisher.publish([purge('a')], { 'message-id': 'id-of-a', workspace: 'w' });
  await vi.waitFor(async () => {
    expect(await bench.lag(confirming)).toBe(0);
  });
  const [record, ...others] = await bench.all('document-commands');
  expect(others).toEqual([]);
  expect(record?.headers).toEqual({ 'message-id': derivedMessageId('id-of-a', 0), workspace: 'w' });
  expect(record?.key).toBe('w/c/a');
  expect(await codec.decode('DocumentCommand', record?.value ?? Buffer.alloc(0))).toMatchObject({ kind: 'purged' });
});
