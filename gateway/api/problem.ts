import { Type } from '@sinclair/typebox';

/** RFC 9457: how every error is answered. */
export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'about:blank' }),
    title: Type.String({ description: 'What the code means.' }),
    status: Type.Integer(),
    code: Type.String({ description: 'A code of the error table.' }),
    detail: Type.String({ description: 'What happened, to what, and what to do.' }),
  },
  { $id: 'Problem', description: 'An error.' },
);
