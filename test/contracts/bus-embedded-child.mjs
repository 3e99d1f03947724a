// A process of its own with an embedded bus, from dist/: `own` says whether it got the folder, `publish` publishes and
// commits until it is killed and says what was acknowledged.
import { createEmbeddedBus } from '../../dist/services/ports/bus/embedded/embedded-bus.js';

const [, , folder, task] = process.argv;
const say = (line) => process.stdout.write(`${line}\n`);

if (task === 'own') {
  try {
    const bus = await createEmbeddedBus({ folder });
    say('owner');
    process.stdin.resume().once('end', () => bus.close().then(() => process.exit(0)));
  } catch (error) {
    say(error.code);
    process.exit(0);
  }
} else {
  const bus = await createEmbeddedBus({ folder });
  await bus.ensureTopics([{ name: 'log', class: 'log', partitions: 1, retentionMs: 3_600_000 }]);
  let [next] = (await bus.endOffsets('log')).map(Number);
  const consumer = await bus.consume(
    { group: 'g', topics: ['log'], from: 'committed' },
    {
      assigned: () => undefined,
      revoked: () => undefined,
      fatal: (error) => {
        throw error;
      },
      records(partition, records) {
        const nextOffset = records.at(-1).offset + 1n;
        consumer.commit(partition, nextOffset).then(() => say(`committed ${nextOffset}`));
      },
    },
  );
  for (;;) {
    const batch = Array.from({ length: 10 }, () => ({
      topic: 'log',
      key: 'k',
      value: Buffer.from(String(next++)),
      headers: {},
    }));
    await bus.publish(batch);
    say(`published ${next}`);
  }
}
