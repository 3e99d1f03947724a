import { globSync } from 'tinyglobby';
import { readFileSync } from 'node:fs';
import type { SluiceApi } from '../../gateway/client/client.js';

/** One thing that a user does. */
export type Step =
  | { readonly kind: 'put'; readonly id: string; readonly body: string; readonly key: string }
  | { readonly kind: 'delete'; readonly id: string };

const docs = new URL('../../node_modules/fastify/docs/', import.meta.url).pathname;

/**
 * Loads the real documents of an installed package, then changes some, empties one, deletes some and adds one of
 * those again: every kind of transition, over documents that are not made for the test.
 */
export function script(documents: number): readonly Step[] {
  const files = globSync('**/*.md', { cwd: docs }).sort().slice(0, documents);
  const read = (file: string): string => readFileSync(`${docs}${file}`, 'utf8');
  const put = (id: string, body: string, round: number): Step => ({ kind: 'put', id, body, key: `${id}#${round}` });
  return [
    ...files.map((file) => put(file, read(file), 1)),
    ...files.filter((_, index) => index % 3 === 0).map((file) => put(file, `${read(file)}\nA later remark.\n`, 2)),
    ...files.slice(1, 2).map((file) => put(file, '', 2)),
    ...files.slice(2, 4).map((file): Step => ({ kind: 'delete', id: file })),
    ...files.slice(2, 3).map((file) => put(file, read(file), 3)),
  ];
}

/** Does one step; doing it twice is doing it once, so a caller whose server died may simply do it again. */
export async function perform(client: SluiceApi, step: Step): Promise<string> {
  if (step.kind === 'delete') return (await client.deleteDocument('default', step.id)).operation_id;
  const submitted = await client.putDocument({
    collection: 'default',
    document_id: step.id,
    body: step.body,
    content_type: 'text/markdown',
    idempotencyKey: step.key,
  });
  return submitted.operation_id;
}
