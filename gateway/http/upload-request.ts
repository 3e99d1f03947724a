import { Type, type Static, type TObject } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { SluiceError } from '../../services/domain/errors.js';
import { attributesSchema, submitOptions } from '../api/documents.js';
import type { SubmitOptions } from '../client/types.js';
import { parseJson } from './parse-json.js';
import { validator } from './validation.js';
import { waitQuery } from './waiting.js';

const { metadata: _metadata, tags: _tags, ...scalars } = submitOptions;

/** Everything that a submit may say, as query parameters. */
export const uploadParameters = {
  ...scalars,
  metadata: Type.Optional(Type.String({ description: 'Metadata as a JSON object.' })),
  tag: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 256, description: 'May be repeated.' })),
  ...waitQuery,
};
type UploadQuery = Omit<Static<TObject<typeof uploadParameters>>, 'wait'> & { readonly workspace?: string };

const multipartOptions = Type.Object(submitOptions, { additionalProperties: false });
const checkOptions = validator(multipartOptions, 'the form field "options"');
const checkMetadata = validator(attributesSchema, 'metadata');

/** Content types that clients send for want of a better one. */
const meansNothing: ReadonlySet<string> = new Set(['application/octet-stream', 'application/x-www-form-urlencoded']);

/** What is to be taken in, and its bytes, not yet read. */
export interface Incoming {
  readonly options: SubmitOptions;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The body as it is; the query says the rest. */
export function rawUpload(request: FastifyRequest, query: UploadQuery): Incoming {
  const { metadata, tag, workspace: _workspace, content_type = headerType(request), ...rest } = query;
  const options: SubmitOptions = {
    ...rest,
    ...(content_type === undefined ? {} : { content_type }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(metadata === undefined ? {} : { metadata: attributesOf(metadata) }),
  };
  // Whoever stops reading must not close the connection: the answer is still to go out on it.
  return { options, body: request.raw.iterator({ destroyOnReturn: false }) };
}

/** A form: a field `options` with a JSON object, then the file. What the query says wins. */
export async function multipartUpload(request: FastifyRequest, query: UploadQuery): Promise<Incoming> {
  // Not for-await: leaving such a loop would close the form before its file is read.
  const parts = request.parts();
  let inForm: SubmitOptions = {};
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    const part = next.value;
    if (part.type === 'field' && part.fieldname === 'options') inForm = formOptions(String(part.value));
    if (part.type !== 'file') continue;
    const { content_type: _form, ...said } = rawUpload(request, query).options;
    const type = query.content_type ?? inForm.content_type ?? meaningful(part.mimetype);
    const options = { ...inForm, ...said, ...(type === undefined ? {} : { content_type: type }) };
    return { options, body: part.file };
  }
  throw new SluiceError('invalid-argument', 'the form has no file: send the document as a file part, after "options"');
}

function formOptions(text: string): SubmitOptions {
  const options = parseJson(text, 'the form field "options"');
  const wrong = checkOptions(options);
  if (wrong !== undefined) throw wrong;
  return options as SubmitOptions;
}

function attributesOf(json: string): NonNullable<SubmitOptions['metadata']> {
  const metadata = parseJson(json, 'metadata');
  const wrong = checkMetadata(metadata);
  if (wrong !== undefined) throw wrong;
  return metadata as NonNullable<SubmitOptions['metadata']>;
}

const headerType = ({ headers }: FastifyRequest): string | undefined => meaningful(headers['content-type']);

const meaningful = (type: string | undefined): string | undefined =>
  type === undefined || meansNothing.has(type.split(';', 1)[0]?.trim().toLowerCase() ?? '') ? undefined : type;
