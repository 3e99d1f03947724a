import { S3Error } from './s3-error.js';

interface SdkError {
  readonly name?: string;
  readonly Code?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  readonly errors?: readonly Error[];
}

/** What the SDK calls errors of answers without a body. */
const nameless = new Set(['NotFound', 'UnknownError', 'Unknown', 'Error', 'Forbidden', 'BadRequest']);

/** Milliseconds of a Retry-After header: seconds or a date. */
function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return waitMs > 0 ? waitMs : undefined;
}

/**
 * An error of the SDK as an S3Error, without the SDK's own, which holds sockets and signatures; one that is none of S3 or the network (a bug, missing credentials)
 * is left as it is.
 */
export function errorOf(error: unknown, permission: string): unknown {
  if (!(error instanceof Error)) return error;
  const sdk: SdkError = error;
  const { $metadata, $response, Code, errors = [] } = sdk;
  const status = $metadata?.httpStatusCode;
  if (status === undefined && sdk.code === undefined && error.name !== 'TimeoutError') return error;
  const name = Code ?? error.name;
  const code = status === undefined || nameless.has(name) ? undefined : name;
  // Several addresses were tried: the message of the whole is empty.
  const message = error.message === '' ? errors.map((one) => one.message).join('; ') : error.message;
  return new S3Error(permission, code, status, message, {
    retryAfterMs: retryAfterMs($response?.headers?.['retry-after']),
  });
}
