import { SluiceError } from '../../../domain/errors.js';

/** The protocol's name of what a broker refused (`MESSAGE_TOO_LARGE`), however deep the client has wrapped it. */
function brokerErrorType(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 10; each = each.cause, depth++) {
    if ('type' in each && typeof each.type === 'string') return each.type;
  }
  return undefined;
}

const tooLarge = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
const brokenProducer = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'DUPLICATE_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_ID_MAPPING',
]);
const refusals = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'INVALID_TIMESTAMP',
  'INVALID_RECORD',
  'INVALID_TOPIC_EXCEPTION',
  'POLICY_VIOLATION',
]);
const misconfigured = new Set(['SASL_AUTHENTICATION_FAILED', 'UNSUPPORTED_SASL_MECHANISM']);

const passing = new Set([
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'REPLICA_NOT_AVAILABLE',
  'REQUEST_TIMED_OUT',
  'NETWORK_EXCEPTION',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'NOT_CONTROLLER',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'OFFSET_NOT_AVAILABLE',
]);

/** The cluster is just changing: asked again in a moment, it answers. */
export const isPassing = (error: unknown): boolean => passing.has(brokerErrorType(error) ?? '');
export const isTooLarge = (error: unknown): boolean => tooLarge.has(brokerErrorType(error) ?? '');
/** The broker and the producer disagree on what was sent: only a new producer can go on. */
export const isBrokenProducer = (error: unknown): boolean => brokenProducer.has(brokerErrorType(error) ?? '');
/** Sending the same again would meet the same answer. */
export const isRefusal = (error: unknown): boolean => refusals.has(brokerErrorType(error) ?? '');
export const isUnknownTopic = (error: unknown): boolean => brokerErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';

export const noSuchTopic = (topic: string, cause?: unknown): SluiceError =>
  new SluiceError('configuration-invalid', `there is no topic "${topic}": topics are created at start`, { cause });

/** What a failed call means to who made it; `doing` says what was tried, for example `publishing to "replies"`. */
export function translateError(error: unknown, doing: string): SluiceError {
  if (error instanceof SluiceError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const type = brokerErrorType(error);
  if (error instanceof Error && (error.name === 'KafkaJSSASLAuthenticationError' || misconfigured.has(type ?? ''))) {
    return new SluiceError('unavailable', `${doing}: Kafka refuses the user (${reason}): check kafka.sasl*`, {
      cause: error,
    });
  }
  if (type?.endsWith('AUTHORIZATION_FAILED') === true) {
    return new SluiceError(
      'unavailable',
      `${doing}: Kafka's access rules forbid it (${reason}): grant it to the user`,
      {
        cause: error,
      },
    );
  }
  return new SluiceError('unavailable', `${doing} failed: ${reason}; check that Kafka can be reached`, {
    cause: error,
  });
}
