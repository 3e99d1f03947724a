import type { SluiceApi } from '../../../gateway/client/client.js';
import type { RealDocument } from './documents.js';

/** What a caller does with one document. */
export type Command =
  | {
      readonly kind: 'put';
      readonly id: string;
      readonly body: string;
      readonly contentType: string;
      readonly tags: readonly string[];
      readonly key: string;
    }
  | { readonly kind: 'delete'; readonly id: string; readonly key: string };

/**
 * The commands of each document, in the order in which its caller gives them. Documents share nothing, so whatever their
 * order among each other is, the end is the same: all are put; some change, some change their tags alone, some are
 * emptied, some are deleted, some of those are put again.
 */
export const commandsOf = (documents: readonly RealDocument[], rounds: number): readonly (readonly Command[])[] =>
  documents.map((document, index) => {
    const commands: Command[] = [];
    const put = (body: string, tags: readonly string[] = []): void => {
      const { id, contentType } = document;
      commands.push({ kind: 'put', id, body, contentType, tags, key: `${id}#${commands.length}` });
    };
    const remove = (): void => {
      commands.push({ kind: 'delete', id: document.id, key: `${document.id}#${commands.length}` });
    };
    put(document.body);
    for (let round = 1; round <= rounds; round++) {
      const place = index + round;
      const changed = `${document.body}\n\nRemark ${round} on what stands above.\n`;
      if (place % 3 === 0) put(changed);
      if (place % 4 === 0) put(place % 3 === 0 ? changed : document.body, [`round-${round}`]);
      if (place % 7 === 1) put('');
      if (place % 5 === 2) remove();
      if (place % 10 === 2) put(document.body);
    }
    return commands;
  });

/** Gives one command; to give it again is to give it once. Returns the operation. */
export async function give(client: SluiceApi, command: Command): Promise<string> {
  if (command.kind === 'delete') return (await client.deleteDocument('default', command.id)).operation_id;
  const { id, body, contentType, tags, key } = command;
  const submitted = await client.putDocument({
    collection: 'default',
    document_id: id,
    body,
    content_type: contentType,
    tags: [...tags],
    idempotencyKey: key,
  });
  return submitted.operation_id;
}
