import { SluiceError } from './domain/errors.js';
import { pipeline } from './pipeline.js';
import type { TopicDescription } from './ports/bus/port.js';
import { openKafka } from './ports/wire.js';
import { portSettings, readConfiguration, type ServeOptions } from './settings.js';

/** A topic with what is unread of it, by the consumer groups that read it. */
export interface ListedTopic extends TopicDescription {
  readonly unread: Readonly<Record<string, number>>;
}

const readersOf = (topic: string): readonly string[] =>
  pipeline.filter(({ input }) => input.name === topic).map(({ name }) => name);

async function withKafka<T>(options: ServeOptions, use: (bus: Awaited<ReturnType<typeof openKafka>>) => Promise<T>) {
  const settings = portSettings(readConfiguration(options));
  if (settings.adapters.bus !== 'kafka') {
    throw new SluiceError(
      'configuration-invalid',
      'topics are listed and resized on Kafka: set adapters.bus to kafka; the embedded bus needs neither',
    );
  }
  const bus = await openKafka(settings);
  try {
    return await use(bus);
  } finally {
    await bus.close();
  }
}

/** Every topic of this installation, by name. Throws unavailable. */
export const listTopics = (options: ServeOptions): Promise<readonly ListedTopic[]> =>
  withKafka(options, async (bus) => {
    const listed: ListedTopic[] = [];
    for (const topic of await bus.topics()) {
      const unread: Record<string, number> = {};
      const ends = await bus.endOffsets(topic.name);
      for (const group of readersOf(topic.name)) {
        const committed = await bus.committed(group, topic.name);
        unread[group] = ends.reduce((sum, end, partition) => sum + Number(end - (committed[partition] ?? 0n)), 0);
      }
      listed.push({ ...topic, unread });
    }
    return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
  });

export interface ResizeRequest {
  readonly topic: string;
  readonly partitions: number;
  readonly signal?: AbortSignal;
  /** Called now and then while something is unread. */
  waiting?(unread: number): void;
}

/** Gives a topic more partitions once all of it has been read. Throws not-found, invalid-argument, unavailable. */
export const resizeTopic = (options: ServeOptions, { topic, partitions, signal, waiting }: ResizeRequest) =>
  withKafka(options, (bus) =>
    bus.resizeTopic({
      ...{ topic, partitions, groups: readersOf(topic) },
      ...(signal === undefined ? {} : { signal }),
      waiting: (unread) => waiting?.(Number(unread)),
    }),
  );
