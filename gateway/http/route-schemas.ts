import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { problemSchema } from '../api/problem.js';
import { errorTable, type ErrorCode } from '../../services/domain/errors.js';

/** A query of these parameters and the workspace; unknown ones are refused. */
export const query = <P extends TProperties>(parameters: P) =>
  Type.Object(
    {
      ...parameters,
      workspace: Type.Optional(Type.String({ description: 'As the header x-sluice-workspace.' })),
    },
    { additionalProperties: false },
  );

export const collectionPath = Type.Object({ collection: Type.String() });

export const documentPath = Type.Object({
  collection: Type.String(),
  document_id: Type.String({ description: 'Percent-encoded, slashes too; "~" with the id in the query also serves.' }),
});

/** `.` and `..` cannot stand in a URL's path: clients resolve them. */
export const documentQuery = {
  id: Type.Optional(Type.String({ description: 'The document id, when "~" stands in its place in the path.' })),
};

/** The document that path and query name together. */
export const documentReference = (
  params: { readonly collection: string; readonly document_id: string },
  query: { readonly id?: string },
): { collection: string; document_id: string } => ({
  collection: params.collection,
  document_id: params.document_id === '~' && query.id !== undefined ? query.id : params.document_id,
});

const always = ['invalid-argument', 'unauthorized', 'forbidden', 'internal', 'unavailable'] as const;

/** What a route answers: its own shapes, and problems of these codes and those that every route may have. */
export function answers(shapes: Readonly<Record<number, TSchema>>, ...codes: readonly ErrorCode[]) {
  const byStatus = new Map<number, string[]>();
  for (const code of [...codes, ...always]) {
    const { httpStatus } = errorTable[code];
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code]);
  }
  const problems = [...byStatus].map(([status, names]) => [status, problem(names)] as const);
  return { ...shapes, ...Object.fromEntries(problems) };
}

const problem = (codes: readonly string[]) => ({
  description: codes.join(', '),
  content: { 'application/problem+json': { schema: problemSchema } },
});
