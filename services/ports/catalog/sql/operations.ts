import { SluiceError } from '../../../domain/errors.js';
import type { DocumentKey } from '../../../domain/identity.js';
import type { Catalog, OperationRecord } from '../port.js';
import { coalesce } from './coalesce.js';
import { column } from './row.js';
import type { Row, SqlClient } from './sql-client.js';
import { clock } from './time.js';

type Operations = Pick<Catalog, 'createOperation' | 'operation' | 'latestOperation'>;
type NewOperation = DocumentKey & { readonly id: string; readonly kind: string };

export function sqlOperations(client: SqlClient): Operations {
  const operation = coalesce(async (ids: readonly string[]) => {
    const rows = await client.query('select * from operations where id = any($1::text[])', [[...new Set(ids)]]);
    const found = new Map(rows.map(operationRecord).map((record) => [record.id, record]));
    return (id: string) => found.get(id);
  });

  const createOperation = coalesce(async (wanted: readonly NewOperation[]) => {
    const ids = [...new Set(wanted.map((each) => each.id))];
    const rows = await client.transaction(async (session) => {
      await session.query(
        `insert into operations (id, workspace, collection, document_id, kind, state, created_at, updated_at)
         select k.*, 'accepted', ${clock}, ${clock}
         from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as k
         on conflict (id) do nothing`,
        [
          wanted.map((each) => each.id),
          wanted.map((each) => each.workspace),
          wanted.map((each) => each.collection),
          wanted.map((each) => each.documentId),
          wanted.map((each) => each.kind),
        ],
      );
      return session.query('select * from operations where id = any($1::text[])', [ids]);
    });
    const standing = new Map(rows.map(operationRecord).map((record) => [record.id, record]));
    return ({ id, workspace }: NewOperation): OperationRecord | SluiceError => {
      const record = standing.get(id);
      if (record?.workspace === workspace) return record;
      return new SluiceError('invalid-argument', `operation id "${id}" is in use: choose another idempotency key`);
    };
  });

  return {
    operation,

    async createOperation(wanted) {
      const made = await createOperation(wanted);
      if (made instanceof SluiceError) throw made;
      return made;
    },

    async latestOperation(key) {
      const [row] = await client.query(
        `select * from operations where workspace = $1 and collection = $2 and document_id = $3
         order by created_at desc, id desc limit 1`,
        [key.workspace, key.collection, key.documentId],
      );
      return row === undefined ? undefined : operationRecord(row);
    },
  };
}

function operationRecord(row: Row): OperationRecord {
  return {
    id: column.text(row, 'id'),
    workspace: column.text(row, 'workspace'),
    collection: column.text(row, 'collection'),
    documentId: column.text(row, 'document_id'),
    kind: column.text(row, 'kind'),
    state: column.text(row, 'state'),
    version: column.integerOrNull(row, 'version'),
    chunkCount: column.integerOrNull(row, 'chunk_count'),
    unchanged: column.boolean(row, 'unchanged'),
    replaced: column.integerOrNull(row, 'replaced'),
    code: column.textOrNull(row, 'code'),
    reason: column.textOrNull(row, 'reason'),
    createdAt: column.time(row, 'created_at'),
    updatedAt: column.time(row, 'updated_at'),
  };
}
