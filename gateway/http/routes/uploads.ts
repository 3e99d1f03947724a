import multipart from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { operationSchema, submittedSchema } from '../../api/documents.js';
import type { Operation, Submitted } from '../../client/types.js';
import type { GatewayContext } from '../../operations/context.js';
import { submitDocument } from '../../operations/documents/submit.js';
import { checkAnnouncedLength } from '../../operations/documents/upload.js';
import { discardRest } from '../discard-rest.js';
import { answers, collectionPath, documentPath, documentQuery, documentReference, query } from '../route-schemas.js';
import type { App } from '../type-provider.js';
import { multipartUpload, rawUpload, uploadParameters } from '../upload-request.js';
import { replyWithOperation } from '../waiting.js';

const uploadQuery = query(uploadParameters);
const namedUploadQuery = query({ ...uploadParameters, ...documentQuery });

const accepted = answers(
  { 200: operationSchema, 202: submittedSchema },
  'collection-not-found',
  'collection-deleting',
  'space-mismatch',
  'spec-mismatch',
  'too-large',
  'deadline-exceeded',
  'storage-full',
);

const description =
  'The body is the document, of any content type; or multipart/form-data with a field "options" (a JSON object of the ' +
  'same options) before the file. Answers 202 as soon as the document is taken in durably. An Idempotency-Key makes a ' +
  'repeated call the same operation.';

type UploadRequest = FastifyRequest & {
  readonly query: Parameters<typeof rawUpload>[1] & { readonly wait?: string };
};

/** The routes that take bytes in. They read every content type as it comes. */
export async function uploadRoutes(app: App, context: GatewayContext): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart, {
    limits: { fileSize: Infinity, files: 1, fields: 8, fieldSize: context.config.maxBodyBytes },
  });
  app.addContentTypeParser('*', (_request, _body, done) => {
    done(null, undefined); // the handler streams the raw request
  });
  app.addHook('onResponse', (request, _reply, done) => {
    discardRest(request.raw);
    done();
  });

  app.post(
    '/collections/:collection/documents',
    {
      schema: {
        tags: ['documents'],
        summary: 'Add a document; its id follows from the source, or else from the content',
        description,
        params: collectionPath,
        querystring: uploadQuery,
        response: accepted,
      },
    },
    (request, reply) => submit(context, request, reply, request.params),
  );
  app.put(
    '/collections/:collection/documents/:document_id',
    {
      schema: {
        tags: ['documents'],
        summary: 'Add or replace a document',
        description,
        params: documentPath,
        querystring: namedUploadQuery,
        response: accepted,
      },
    },
    (request, reply) => {
      const { id: _id, ...rest } = request.query;
      const reference = documentReference(request.params, request.query);
      return submit(context, Object.assign(request, { query: rest }), reply, reference);
    },
  );
}

async function submit(
  context: GatewayContext,
  request: UploadRequest,
  reply: FastifyReply,
  target: { readonly collection: string; readonly document_id?: string },
): Promise<Submitted | Operation> {
  checkAnnouncedLength(context, request.headers['content-length']);
  const { wait: _wait, ...query } = request.query;
  const upload = request.isMultipart() ? await multipartUpload(request, query) : rawUpload(request, query);
  const idempotencyKey = request.headers['idempotency-key'];
  const submitted = await submitDocument(
    context,
    request.call,
    {
      ...upload.options,
      ...target,
      ...(typeof idempotencyKey === 'string' ? { idempotency_key: idempotencyKey } : {}),
    },
    upload.body,
  );
  return replyWithOperation(context, request, reply, submitted);
}
