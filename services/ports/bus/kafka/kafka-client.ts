import { readFileSync } from 'node:fs';
import type { Static } from '@sinclair/typebox';
import kafkajs, { type Admin, type Consumer, type PartitionAssigner, type Producer, type SASLOptions } from 'kafkajs';
import { SluiceError } from '../../../domain/errors.js';
import type { kafkaConfig } from './kafka-config.js';

export type {
  Admin,
  Cluster,
  EachBatchPayload,
  GroupMember,
  KafkaMessage,
  Consumer as GroupConsumer,
  Message,
  Offsets,
  PartitionAssigner,
  Producer,
} from 'kafkajs';

// The package is CommonJS: what it exports besides types is not seen by name.
export const { AssignerProtocol } = kafkajs;
export const topicResource = kafkajs.ConfigResourceTypes.TOPIC;

export type KafkaSettings = Static<typeof kafkaConfig>;

/** What goes wrong on the way to the brokers, for the log; nothing is to be done about it. */
export type Warn = (message: string, details: Readonly<Record<string, unknown>>) => void;

/** Makes the three kinds of connections that the bus has to a cluster. None is open yet. */
export interface KafkaClient {
  admin(): Admin;
  producer(): Producer;
  consumer(groupId: string, assigner: PartitionAssigner): Consumer;
}

// Set in full: kafkajs has others when NODE_ENV is `test`.
const retry = { initialRetryTime: 100, maxRetryTime: 2_000, multiplier: 2, factor: 0.2, retries: 5 };
const metadataMaxAge = 60_000;

export function createKafkaClient(settings: KafkaSettings, warn: Warn): KafkaClient {
  const kafka = new kafkajs.Kafka({
    brokers: [...settings.brokers],
    clientId: settings.clientId,
    connectionTimeout: settings.connectTimeoutMs,
    authenticationTimeout: settings.connectTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    retry,
    ...tlsOf(settings),
    ...saslOf(settings),
    logLevel: kafkajs.logLevel.ERROR,
    logCreator:
      () =>
      ({ namespace, log: { message, error, groupId, broker } }) => {
        warn(message, {
          client: namespace,
          ...(typeof error === 'string' ? { error } : {}),
          ...(typeof groupId === 'string' ? { group: groupId } : {}),
          ...(typeof broker === 'string' ? { broker } : {}),
        });
      },
  });
  return {
    admin: () => kafka.admin({ retry }),
    producer: () =>
      kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        metadataMaxAge,
        retry,
        createPartitioner:
          () =>
          ({ message }) =>
            message.partition ?? 0,
      }),
    consumer: (groupId, assigner) =>
      kafka.consumer({
        groupId,
        allowAutoTopicCreation: false,
        metadataMaxAge,
        sessionTimeout: settings.sessionTimeoutMs,
        rebalanceTimeout: settings.rebalanceTimeoutMs,
        heartbeatInterval: settings.heartbeatIntervalMs,
        maxWaitTimeInMs: settings.fetchWaitMs,
        maxBytesPerPartition: settings.fetchBytesPerPartition,
        partitionAssigners: [assigner],
        // Started again by us, with a new client: this one would forget what it has paused.
        retry: { ...retry, restartOnFailure: () => Promise.resolve(false) },
      }),
  };
}

export function tlsOf({ tls, tlsCaFile }: KafkaSettings): { ssl?: true | { ca: string } } {
  if (!tls) return {};
  if (tlsCaFile === '') return { ssl: true };
  try {
    return { ssl: { ca: readFileSync(tlsCaFile, 'utf8') } };
  } catch (cause) {
    throw new SluiceError('configuration-invalid', `kafka.tlsCaFile: ${tlsCaFile} cannot be read`, { cause });
  }
}

function saslOf(settings: KafkaSettings): { sasl?: SASLOptions } {
  const { saslMechanism: mechanism, saslUsername: username, saslPassword: password } = settings;
  if (mechanism === 'none') return {};
  if (username === '') {
    throw new SluiceError('configuration-invalid', `kafka.saslMechanism is ${mechanism}: set kafka.saslUsername too`);
  }
  return { sasl: { mechanism, username, password } };
}
