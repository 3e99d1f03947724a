import { Type } from '@sinclair/typebox';
import { attributesSchema } from './documents.js';

export const syncRootSchema = Type.Object(
  {
    root: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'An absolute path or glob on the machine that syncs, or an http(s) URL.',
    }),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 256 })),
    metadata: Type.Optional(attributesSchema),
  },
  { additionalProperties: false, description: 'A place that documents come from, and what each is sent with.' },
);

export const syncRootsSchema = Type.Object({ roots: Type.Array(syncRootSchema) });

export const changeSyncRootsSchema = Type.Object(
  {
    record: Type.Optional(Type.Array(syncRootSchema, { maxItems: 1000 })),
    forget: Type.Optional(Type.Array(Type.String(), { maxItems: 1000 })),
  },
  { additionalProperties: false },
);
