// A process of its own, from dist/, with an embedded bus and one processor of purges. A purge of `killer` kills it. It
// ends when everything is handled; starts are counted in a file, as a catalog would in its table.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { singleObjectCodec } from '../../../../dist/schema/single-object.js';
import { topics } from '../../../../dist/schema/topics.js';
import { createEmbeddedBus } from '../../../../dist/services/ports/bus/embedded/embedded-bus.js';
import { startProcessor } from '../../../../dist/services/runtime/delivery/start-processor.js';
import { topicSettings } from '../../../../dist/services/runtime/delivery/topic-settings.js';
import { defineProcessor, output } from '../../../../dist/services/runtime/processor.js';

const [, , folder, count] = process.argv;
const codec = singleObjectCodec();

const subject = defineProcessor({
  name: 'subject',
  input: topics.purges,
  outputs: [topics.documentCommands],
  ports: [],
  config: Type.Object({}),
  concurrency: () => 8,
  async handle({ value }) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (value.document_id === 'killer') process.kill(process.pid, 'SIGKILL');
    return [output(topics.documentCommands, { ...value, kind: 'purged' })];
  },
});

const file = join(folder, 'starts.json');
const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
const ledger = {
  async raiseStarts(group, partitions) {
    const rows = read();
    const raised = partitions.map(({ topic, partition, offset }) => {
      const name = `${topic}/${partition}`;
      const row =
        rows[name]?.offset === String(offset)
          ? rows[name]
          : { offset: String(offset), starts: 0, suspect: null, inHand: false, deaths: 0 };
      row.starts++;
      if (row.inHand) row.deaths++;
      row.inHand = false;
      rows[name] = row;
      return { starts: row.starts, suspect: row.suspect === null ? null : BigInt(row.suspect), deaths: row.deaths };
    });
    writeFileSync(file, JSON.stringify(rows));
    return raised;
  },
  async noteSuspect(group, topic, partition, offset) {
    const rows = read();
    const name = `${topic}/${partition}`;
    const row = rows[name];
    if (row.suspect !== String(offset)) row.deaths = 0;
    Object.assign(row, { suspect: String(offset), inHand: true });
    writeFileSync(file, JSON.stringify(rows));
  },
  async releaseSuspect(group, topic, partition) {
    const rows = read();
    rows[`${topic}/${partition}`].inHand = false;
    writeFileSync(file, JSON.stringify(rows));
  },
  async clearStarts() {
    writeFileSync(file, '{}');
  },
};

const bus = await createEmbeddedBus({ folder });
await bus.ensureTopics(
  topicSettings([subject], { partitions: 2, retentionMs: 86_400_000, requestRetentionMs: 60_000 }),
);
if ((await bus.endOffsets('purges')).every((end) => end === 0n)) {
  const names = Array.from({ length: Number(count) }, (_, index) =>
    index === 30 ? (process.env.KILLER ?? 'k30') : `k${index}`,
  );
  await bus.publish(
    names.map((name) => ({
      topic: 'purges',
      key: name,
      value: codec.encode('Purge', {
        workspace: 'w',
        collection: 'c',
        document_id: name,
        version: 1,
        version_hash: name,
        spaces: [],
      }),
      headers: { 'message-id': name },
    })),
  );
}
const running = await startProcessor(subject, {
  bus,
  ports: {},
  ledger,
  codec,
  config: {},
  log: pino({ level: 'silent' }),
  registry: new Registry(),
  settings: { commitIntervalMs: 2 },
});
for (;;) {
  const [ends, committed] = await Promise.all([bus.endOffsets('purges'), bus.committed('subject', 'purges')]);
  if (ends.every((end, partition) => end === committed[partition])) break;
  await new Promise((resolve) => setTimeout(resolve, 5));
}
await running.stop(1_000);
await bus.close();
