import { Readable } from 'node:stream';
import * as aws from '@aws-sdk/client-s3';
import { addMiddleware } from './aws-middleware.js';
import { errorOf } from './aws-error.js';
import { S3Error } from './s3-error.js';
import type { S3Client } from './s3-client.js';

const noteName = 'sluice-upload';
const mayHaveBucket = ['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'];

export interface AwsClientOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly forcePathStyle: boolean;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

function openSdk(options: AwsClientOptions): aws.S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle, maxConnections } = options;
  // The version is pinned; its notice about releases to come would be printed at every start.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  return new aws.S3Client({
    ...(endpoint !== '' && { endpoint }),
    ...(accessKeyId !== '' && { credentials: { accessKeyId, secretAccessKey } }),
    region,
    forcePathStyle,
    maxAttempts: 1, // retried by the store, which can resume streams and knows Retry-After
    // Buffers are signed with their SHA-256, which every server checks; not every one takes the SDK's newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false, // it would cost every part a connection of its own
    requestHandler: {
      connectionTimeout: options.connectTimeoutMs,
      socketTimeout: options.idleTimeoutMs,
      socketAcquisitionWarningTimeout: 2 ** 31 - 1,
      httpAgent: { keepAlive: true, maxSockets: maxConnections },
      httpsAgent: { keepAlive: true, maxSockets: maxConnections },
    },
  });
}

/** The operations on @aws-sdk/client-s3. */
export function createAwsClient(options: AwsClientOptions): S3Client {
  const sdk = openSdk(options);
  const answers = addMiddleware(sdk);
  const Bucket = options.bucket;

  async function call<T>(permission: string, signal: AbortSignal | undefined, send: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      signal?.throwIfAborted();
      throw errorOf(error, permission);
    }
  }
  const until = (signal: AbortSignal | undefined) => ({ ...(signal && { abortSignal: signal }) });
  const broken = (permission: string, what: string): S3Error =>
    new S3Error(permission, 'InvalidAnswer', undefined, `the answer has no ${what}`);

  return {
    async put(Key, Body, signal) {
      await call('s3:PutObject', signal, () =>
        sdk.send(new aws.PutObjectCommand({ Bucket, Key, Body }), until(signal)),
      );
    },

    async get(Key, start, end, etag) {
      const Range = `bytes=${start}-${end === Infinity ? '' : end - 1}`;
      const whole = start === 0 && end === Infinity;
      const request = { Bucket, Key, ...(!whole && { Range }), ...(etag !== undefined && { IfMatch: etag }) };
      const { Body, ContentLength, ETag } = await call('s3:GetObject', undefined, () =>
        sdk.send(new aws.GetObjectCommand(request)),
      );
      if (!(Body instanceof Readable) || ContentLength === undefined) throw broken('s3:GetObject', 'body or length');
      return { body: Body, sizeBytes: ContentLength, etag: ETag };
    },

    async head(Key) {
      const { ContentLength, LastModified, Metadata } = await call('s3:GetObject', undefined, () =>
        sdk.send(new aws.HeadObjectCommand({ Bucket, Key })),
      );
      if (ContentLength === undefined || LastModified === undefined) throw broken('s3:GetObject', 'length or time');
      return { key: Key, sizeBytes: ContentLength, modifiedAt: LastModified, note: Metadata?.[noteName] };
    },

    async list(Prefix, from, limit = 1_000) {
      const request = { Bucket, Prefix, MaxKeys: limit, ...(from !== undefined && { ContinuationToken: from }) };
      const page = await call('s3:ListBucket', undefined, () => sdk.send(new aws.ListObjectsV2Command(request)));
      const items = (page.Contents ?? []).flatMap(({ Key, Size, LastModified }) =>
        Key === undefined || LastModified === undefined
          ? []
          : { key: Key, sizeBytes: Size ?? 0, modifiedAt: LastModified },
      );
      return { items, next: page.IsTruncated === true ? page.NextContinuationToken : undefined };
    },

    async delete(keys) {
      const permission = 's3:DeleteObject';
      const [only] = keys;
      if (keys.length === 1 && only !== undefined) {
        await call(permission, undefined, () => sdk.send(new aws.DeleteObjectCommand({ Bucket, Key: only })));
        return;
      }
      const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
      const { Errors = [] } = await call(permission, undefined, () =>
        sdk.send(new aws.DeleteObjectsCommand({ Bucket, Delete })),
      );
      const failed = Errors.find(({ Code }) => Code !== 'NoSuchKey');
      if (failed === undefined) return;
      const status = failed.Code === 'AccessDenied' ? 403 : undefined;
      throw new S3Error(permission, failed.Code ?? 'UnknownError', status, `${failed.Key}: ${failed.Message}`);
    },

    async createUpload(Key, note, signal) {
      const { UploadId } = await call('s3:PutObject', signal, () =>
        sdk.send(new aws.CreateMultipartUploadCommand({ Bucket, Key, Metadata: { [noteName]: note } }), until(signal)),
      );
      if (UploadId === undefined) throw broken('s3:PutObject', 'upload id');
      return UploadId;
    },

    async uploadPart(Key, UploadId, PartNumber, Body, signal) {
      const { ETag } = await call('s3:PutObject', signal, () =>
        sdk.send(new aws.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }), until(signal)),
      );
      if (ETag === undefined) throw broken('s3:PutObject', 'etag');
      return ETag;
    },

    async completeUpload(Key, UploadId, etags, signal) {
      const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
      const request = { Bucket, Key, UploadId, MultipartUpload: { Parts } };
      await call('s3:PutObject', signal, () =>
        sdk.send(new aws.CompleteMultipartUploadCommand(request), until(signal)),
      );
    },

    async abortUpload(Key, UploadId) {
      await call('s3:AbortMultipartUpload', undefined, () =>
        sdk.send(new aws.AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
      );
    },

    async listUploads(Prefix, from) {
      const [KeyMarker, UploadIdMarker] = from === undefined ? [] : (JSON.parse(from) as string[]);
      const request = { Bucket, Prefix, ...(KeyMarker && { KeyMarker, ...(UploadIdMarker && { UploadIdMarker }) }) };
      const page = await call('s3:ListBucketMultipartUploads', undefined, () =>
        sdk.send(new aws.ListMultipartUploadsCommand(request)),
      );
      const items = (page.Uploads ?? []).flatMap(({ Key, UploadId, Initiated }) =>
        Key === undefined || UploadId === undefined || Initiated === undefined
          ? []
          : { key: Key, uploadId: UploadId, startedAt: Initiated },
      );
      const more = page.IsTruncated === true && page.NextKeyMarker;
      return { items, next: more ? JSON.stringify([more, page.NextUploadIdMarker ?? '']) : undefined };
    },

    async headBucket() {
      await call('s3:ListBucket', undefined, () => sdk.send(new aws.HeadBucketCommand({ Bucket })));
    },

    async createBucket() {
      try {
        await call('s3:CreateBucket', undefined, () => sdk.send(new aws.CreateBucketCommand({ Bucket })));
      } catch (error) {
        // Another process was first.
        if (!(error instanceof S3Error) || !mayHaveBucket.includes(error.code ?? '')) throw error;
      }
    },

    serverName: answers.serverName,
    close: () => sdk.destroy(),
  };
}
