import { createHash } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';

interface HttpMessage {
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

const httpMessage = (value: unknown): HttpMessage | undefined =>
  typeof value === 'object' && value !== null && 'headers' in value ? (value as HttpMessage) : undefined;

/**
 * Batch deletes must carry a checksum of their body. The SDK sends a CRC32, older servers take MD5 alone, and every one
 * takes that. Returned is what the last answer said of its server.
 */
export function addMiddleware(sdk: S3Client): { readonly serverName: () => string | undefined } {
  let serverName: string | undefined;
  sdk.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const request = httpMessage(args.request);
        if (commandName === 'DeleteObjectsCommand' && request !== undefined && typeof request.body === 'string') {
          for (const name of Object.keys(request.headers)) {
            if (/^x-amz-(checksum-|sdk-checksum-)/i.test(name)) Reflect.deleteProperty(request.headers, name);
          }
          request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
        }
        return await next(args);
      },
    { step: 'build', priority: 'low', name: 'sluiceContentMd5' },
  );
  sdk.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      serverName = httpMessage(result.response)?.headers['server'] ?? serverName;
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'sluiceServerName' },
  );
  return { serverName: () => serverName };
}
