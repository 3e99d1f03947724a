import { randomUUID } from 'node:crypto';
import { isRepeatable, openBody } from './body.js';
import { documentPath } from './document-path.js';
import type { DocumentInput } from './options.js';
import { withRetries } from './retry.js';
import { part, type Query, type Transport } from './transport.js';
import type { Submitted } from './types.js';

/**
 * Streams a document in. Each call has an idempotency key, so that one whose answer was lost is repeated safely, if its
 * bytes can be read again.
 */
export async function putDocument(
  transport: Transport,
  maxRetries: number,
  input: DocumentInput,
  signal: AbortSignal | undefined,
): Promise<Submitted> {
  const { collection, document_id, body, idempotencyKey, ...options } = input;
  const target = document_id === undefined ? undefined : documentPath(collection, document_id);
  const key = idempotencyKey ?? randomUUID();
  return withRetries(isRepeatable(body) ? maxRetries : 0, signal, async () => {
    const opened = await openBody(body);
    try {
      return await transport.json<Submitted>({
        method: target === undefined ? 'POST' : 'PUT',
        path: target?.path ?? `/collections/${part(collection)}/documents`,
        query: { ...target?.query, ...optionsQuery(options) },
        headers: { 'idempotency-key': key, 'content-type': 'application/octet-stream' },
        bytes: opened.bytes,
        signal,
      });
    } catch (error) {
      throw opened.failure() ?? error;
    } finally {
      await opened.close();
    }
  });
}

function optionsQuery(options: Omit<DocumentInput, 'collection' | 'document_id' | 'body' | 'idempotencyKey'>): Query {
  const { metadata, tags, ...rest } = options;
  return {
    ...rest,
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    ...(tags === undefined ? {} : { tag: tags }),
  };
}
