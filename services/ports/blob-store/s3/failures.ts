import { SluiceError } from '../../../domain/errors.js';
import { S3Error, hasCode } from './s3-error.js';

/** Where a store stands, as messages name it. */
export interface S3Place {
  /** The URL of the server, or what AWS is called. */
  readonly server: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
}

const keyOf = ({ accessKeyId }: S3Place): string => (accessKeyId === '' ? 'the key' : `the key ${accessKeyId}`);

/** The server knows no such key, or another secret of it. */
export const isUnknownKey = (error: S3Error): boolean =>
  hasCode(error, 'InvalidAccessKeyId', 'XAdminUserNotFound', 'SignatureDoesNotMatch', 'InvalidToken');

function explain(error: S3Error, doing: string, place: S3Place): string {
  const { server, bucket, region } = place;
  if (hasCode(error, 'NoSuchBucket')) {
    return `bucket "${bucket}" does not exist on ${server}: create it, name another in s3.bucket, or set s3.createBucket`;
  }
  if (isUnknownKey(error)) {
    return `${server} does not accept ${keyOf(place)} (${error.code}): check s3.accessKeyId and s3.secretAccessKey`;
  }
  if (hasCode(error, 'AuthorizationHeaderMalformed', 'PermanentRedirect', 'IllegalLocationConstraintException')) {
    return `${server} does not take requests for region ${region} (${error.message}): check s3.region and s3.endpoint`;
  }
  if (hasCode(error, 'RequestTimeTooSkewed')) {
    return `the clock of this machine differs too much from that of ${server}: set both by a time server`;
  }
  if (error.status === 401 || error.status === 403) {
    // AWS answers so for an object that does not exist, too, when the key may not list.
    const permission = error.permission === 's3:GetObject' ? 's3:GetObject, or s3:ListBucket' : error.permission;
    return `${doing} was refused by ${server} (${error.code ?? error.status}): give ${keyOf(place)} the permission ${permission} in bucket "${bucket}"`;
  }
  if (error.status === undefined && error.code === undefined) return `${server} does not answer: ${error.message}`;
  return `${doing} in bucket "${bucket}" of ${server} failed: ${error.code ?? error.status ?? ''} ${error.message}`;
}

/**
 * What an S3 error means to the callers of a blob store. Refused keys and missing buckets are `unavailable`: they are
 * put right by an operator, and no document is to blame.
 */
export function storeFailure(error: unknown, doing: string, place: S3Place): unknown {
  if (!(error instanceof S3Error)) return error;
  const message = explain(error, doing, place);
  const options = { cause: error, ...(error.options.retryAfterMs && { retryAfterMs: error.options.retryAfterMs }) };
  if (error.full) return new SluiceError('storage-full', message, options);
  if (hasCode(error, 'ObjectParentIsFile', 'ExistingObjectIsDirectory', 'XMinioParentIsObject')) {
    return new SluiceError(
      'invalid-argument',
      `${doing}: the key is a folder of another blob, or lies below one`,
      options,
    );
  }
  if (hasCode(error, 'KeyTooLongError')) return new SluiceError('invalid-argument', message, options);
  if (hasCode(error, 'EntityTooLarge')) return new SluiceError('too-large', message, options);
  const configured = [301, 307, 401, 403, 404].includes(error.status ?? 0);
  const misplaced = hasCode(error, 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException');
  const unavailable = error.transient || configured || misplaced || error.status === undefined;
  return new SluiceError(unavailable ? 'unavailable' : 'invalid-response', message, options);
}
