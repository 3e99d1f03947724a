import type { TopicSettings } from '../../ports/bus/port.js';
import { topics, type Topic } from '../../../schema/topics.js';
import type { AnyProcessor } from '../processor.js';
import { deadLetterTopic } from './dead-letter.js';

export interface TopicDefaults {
  readonly partitions: number;
  /** Of log topics that do not say otherwise. */
  readonly retentionMs: number;
  /** Of request topics. */
  readonly requestRetentionMs: number;
}

const mebibyte = 1024 * 1024;
/** Vectors of a pack: 64 chunks of a few thousand dimensions. */
const largeMessageBytes = 8 * mebibyte;
const smallMessageBytes = mebibyte;
/** What the headers of a dead letter may add. */
const letterBytes = 64 * 1024;

/** Every topic, and the dead letters of these processors, as the bus is to have them. */
export function topicSettings(processors: readonly AnyProcessor[], defaults: TopicDefaults): readonly TopicSettings[] {
  const settings = (topic: Topic): TopicSettings => ({
    name: topic.name,
    class: topic.class,
    partitions: defaults.partitions,
    retentionMs: topic.retentionMs ?? (topic.class === 'log' ? defaults.retentionMs : defaults.requestRetentionMs),
    maxMessageBytes: topic === topics.chunksEmbedded ? largeMessageBytes : smallMessageBytes,
  });
  const letters = processors
    .filter(({ input }) => input.class === 'log')
    .map(({ name, input }): TopicSettings => {
      const of = settings(input);
      return {
        ...of,
        name: deadLetterTopic(input.name, name),
        maxMessageBytes: (of.maxMessageBytes ?? smallMessageBytes) + letterBytes,
      };
    });
  return [...Object.values<Topic>(topics).map(settings), ...letters];
}
