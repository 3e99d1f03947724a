import { SluiceError } from '../../../domain/errors.js';
import type { DocumentQuery, DocumentRecord, DocumentSelection } from '../port.js';
import type { Parameter } from './sql-client.js';

/** After every string that starts with the prefix, in byte order. */
const lastCharacter = '\u{10FFFF}';

class Statement {
  readonly parameters: Parameter[] = [];
  readonly conditions: string[] = [];

  parameter(value: Parameter): string {
    return `$${this.parameters.push(value)}`;
  }

  where(condition: string): void {
    this.conditions.push(condition);
  }
}

function selection(query: DocumentSelection): Statement {
  const statement = new Statement();
  const add = (column: string, comparison: string, value: Parameter | undefined): void => {
    if (value !== undefined) statement.where(`${column} ${comparison} ${statement.parameter(value)}`);
  };
  add('d.workspace', '=', query.workspace);
  add('d.collection', '=', query.collection);
  statement.where('d.newest_version is not null');
  add('d.newest_state', '=', query.state);
  add('d.updated_at', '>=', query.updatedFrom?.toISOString());
  add('d.updated_at', '<', query.updatedBefore?.toISOString());
  add('v.source', '=', query.source);
  add('v.source', '>=', query.sourcePrefix);
  add('v.source', '<', query.sourcePrefix === undefined ? undefined : query.sourcePrefix + lastCharacter);
  if (query.tag !== undefined) statement.where(`${statement.parameter(query.tag)} = any(v.tags)`);
  if (query.attributes !== undefined) {
    const wanted = statement.parameter(JSON.stringify(query.attributes));
    statement.where(`coalesce(v.decoded_attributes, '{}') || v.given_attributes @> ${wanted}::jsonb`);
  }
  return statement;
}

/** The newest version is read only where the selection speaks of it: counting states needs documents alone. */
const newestVersion = (query: DocumentSelection): string =>
  [query.source, query.sourcePrefix, query.tag, query.attributes].every((each) => each === undefined)
    ? ''
    : `join versions v on v.workspace = d.workspace and v.collection = d.collection
         and v.document_id = d.document_id and v.version = d.newest_version`;

/** One row more than the limit, so that the end is known. Throws invalid-argument for a cursor that is none. */
export function pageStatement(select: string, query: DocumentQuery): [string, Parameter[]] {
  const statement = selection(query);
  const order = query.sourcePrefix === undefined ? 'd.collection, d.document_id' : 'v.source, v.document_id';
  if (query.after !== undefined) {
    const [first, documentId] = parseCursor(query.after);
    statement.where(`(${order}) > (${statement.parameter(first)}, ${statement.parameter(documentId)})`);
  }
  const limit = statement.parameter(query.limit + 1);
  return [
    `${select} ${newestVersion(query)} where ${statement.conditions.join(' and ')}
     order by ${order} limit ${limit}::bigint`,
    statement.parameters,
  ];
}

export function countStatement(query: DocumentSelection): [string, Parameter[]] {
  const { conditions, parameters } = selection(query);
  return [
    `select count(*) as documents from documents d ${newestVersion(query)} where ${conditions.join(' and ')}`,
    parameters,
  ];
}

/** Where the next page begins: after this document, in the order of the query. */
export const cursorOf = (query: DocumentQuery, { collection, documentId, newest }: DocumentRecord): string =>
  Buffer.from(
    JSON.stringify([query.sourcePrefix === undefined ? collection : (newest?.source ?? ''), documentId]),
  ).toString('base64url');

function parseCursor(cursor: string): [string, string] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parsed) && typeof parsed[0] === 'string' && typeof parsed[1] === 'string') {
      return [parsed[0], parsed[1]];
    }
  } catch {
    // Falls through: whatever it was, it is no cursor of ours.
  }
  throw new SluiceError('invalid-argument', 'the cursor is not one that a listing returned: start the listing again');
}
