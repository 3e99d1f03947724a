import { randomUUID } from 'node:crypto';
import { isUnknownKey, storeFailure, type S3Place } from './failures.js';
import type { S3Client } from './s3-client.js';
import { S3Error, isAbsent } from './s3-error.js';

/** One thing that was found out about the server. */
export interface S3Check {
  readonly name: string;
  readonly state: 'ok' | 'failed';
  readonly detail: string;
  readonly advice?: string;
}

/** A key that is not known, or not signed with as it should be, lacks more than a permission. */
const isMissingGrant = (error: unknown): error is S3Error =>
  error instanceof S3Error && error.status === 403 && !isUnknownKey(error);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * What the server is, whether it has the bucket, and whether the key may do each thing that the store does there: a
 * small blob is listed, written, read and deleted, and a multipart upload begun and aborted. A missing bucket is no
 * failure where the start creates it.
 */
export async function checkStore(
  client: S3Client,
  { prefix, createBucket }: { readonly prefix: string; readonly createBucket: boolean },
  place: S3Place,
): Promise<readonly S3Check[]> {
  const key = `${prefix}installation/check-${randomUUID()}`;
  const checks: S3Check[] = [];
  const failed = (error: unknown, name: string, doing: string): S3Check => ({
    ...{ name, state: 'failed', detail: messageOf(storeFailure(error, doing, place)) },
    ...(isMissingGrant(error) && { advice: `grant ${error.permission}` }),
  });

  try {
    // Without a body in its answer, HEAD cannot say what is wrong.
    await client.list(key, undefined, 1);
  } catch (error) {
    const reached = error instanceof S3Error && error.status !== undefined;
    if (!reached) return [failed(error, 's3 server', 'reaching the server')];
    if (createBucket && error.code === 'NoSuchBucket') {
      const detail = `bucket "${place.bucket}" is not there yet: the start creates it`;
      return [serverCheck(client, place), { name: 's3 bucket', state: 'ok', detail }];
    }
    if (error.code !== 'AccessDenied') return [serverCheck(client, place), failed(error, 's3 bucket', 'listing blobs')];
    checks.push(failed(error, 's3:ListBucket', 'listing blobs'));
  }
  const found: S3Check = { name: 's3 bucket', state: 'ok', detail: `bucket "${place.bucket}" answers` };

  const steps: readonly (readonly [permission: string, doing: string, run: () => Promise<unknown>])[] = [
    ['s3:PutObject', 'writing a blob', () => client.put(key, Buffer.from('sluice'))],
    ['s3:GetObject', 'reading a blob', () => readSome(client, key)],
    ['s3:DeleteObject', 'deleting blobs', () => client.delete([key, `${key}-none`])],
    ['s3:AbortMultipartUpload', 'beginning and aborting an upload', () => beginAndAbort(client, key)],
    ['s3:ListBucketMultipartUploads', 'listing unfinished uploads', () => client.listUploads(key, undefined)],
  ];
  for (const [permission, doing, run] of steps) {
    try {
      await run();
    } catch (error) {
      checks.push(failed(error, permission, doing));
    }
  }
  if (checks.length === 0) {
    const detail = 'the key may list, read, write and delete, and abort uploads';
    checks.push({ name: 's3 permissions', state: 'ok', detail });
  }
  return [serverCheck(client, place), found, ...checks];
}

const serverCheck = (client: S3Client, { server }: S3Place): S3Check => ({
  name: 's3 server',
  state: 'ok',
  detail: `${server} answers (${client.serverName() ?? 'it does not say what it is'})`,
});

async function readSome(client: S3Client, key: string): Promise<void> {
  try {
    const { body } = await client.get(key, 0, 6);
    body.destroy();
  } catch (error) {
    if (!isAbsent(error)) throw error; // it could not be written, which is told already
  }
}

async function beginAndAbort(client: S3Client, key: string): Promise<void> {
  const uploadId = await client.createUpload(key, 'check');
  try {
    await client.uploadPart(key, uploadId, 1, Buffer.alloc(1_024));
  } finally {
    await client.abortUpload(key, uploadId);
  }
}
