import { Type } from '@sinclair/typebox';

export const kafkaConfig = Type.Object({
  brokers: Type.Array(Type.String({ pattern: '^[^\\s:]+:[0-9]+$' }), {
    description: 'The brokers to begin with, each as host:port; the others are found through them.',
    default: ['127.0.0.1:9092'],
    minItems: 1,
  }),
  clientId: Type.String({
    description: 'How this process names itself to the brokers, in their logs, metrics and quotas.',
    default: 'sluice',
    minLength: 1,
  }),
  topicPrefix: Type.String({
    description:
      'Put before every name of a topic and of a consumer group, for example "staging.": installations with different prefixes share a cluster.',
    default: '',
    pattern: '^[A-Za-z0-9._-]*$',
  }),
  replicationFactor: Type.Integer({
    description: 'Copies that the brokers keep of topics that are created. -1: as the brokers are set up.',
    default: -1,
    minimum: -1,
  }),
  tls: Type.Boolean({
    description: 'Whether the brokers are spoken to over TLS.',
    default: false,
  }),
  tlsCaFile: Type.String({
    description:
      'With tls: a file of certificates (PEM) that sign those of the brokers. Empty: those that Node.js trusts.',
    default: '',
  }),
  saslMechanism: Type.Union(
    [Type.Literal('none'), Type.Literal('plain'), Type.Literal('scram-sha-256'), Type.Literal('scram-sha-512')],
    {
      description: 'How this process proves to the brokers who it is. plain sends the password: use it with tls.',
      default: 'none',
    },
  ),
  saslUsername: Type.String({ description: 'With saslMechanism: the user.', default: '' }),
  saslPassword: Type.String({ description: 'With saslMechanism: the password.', default: '', secret: true }),
  producers: Type.Integer({
    description: 'Connections that publish, each one batch at a time; topics and partitions are divided among them.',
    default: 4,
    minimum: 1,
    maximum: 64,
  }),
  maxBatchBytes: Type.Integer({
    description: 'The largest batch that is sent to a partition at once.',
    default: 1024 * 1024,
    minimum: 1024,
  }),
  publishTimeoutMs: Type.Integer({
    description:
      'A message that could not be sent at all for so long, since no broker can be reached, is given up with the error `unavailable`.',
    default: 30_000,
    minimum: 1,
  }),
  connectTimeoutMs: Type.Integer({
    description: 'How long a broker may take to accept a connection.',
    default: 10_000,
    minimum: 1,
  }),
  requestTimeoutMs: Type.Integer({
    description: 'A request that a broker does not answer for so long is sent again.',
    default: 30_000,
    minimum: 1_000,
  }),
  sessionTimeoutMs: Type.Integer({
    description:
      'A process that the brokers have not heard of for so long loses its partitions to the others of its group.',
    default: 15_000,
    minimum: 1_000,
  }),
  rebalanceTimeoutMs: Type.Integer({
    description: 'How long the members of a group may take to come together when one joins or leaves.',
    default: 30_000,
    minimum: 1_000,
  }),
  heartbeatIntervalMs: Type.Integer({
    description:
      'How often a process tells the brokers that it is alive, and learns that its group changes. At most a third of sessionTimeoutMs.',
    default: 1_000,
    minimum: 100,
  }),
  fetchWaitMs: Type.Integer({
    description:
      'How long a broker waits for new messages before it answers with none. A partition whose fetching was paused goes on within this time.',
    default: 250,
    minimum: 10,
  }),
  fetchBytesPerPartition: Type.Integer({
    description: 'The most that is fetched of a partition at once; a single larger message comes all the same.',
    default: 1024 * 1024,
    minimum: 1024,
  }),
});
