import { topics } from '../../schema/topics.js';
import { uuidOf } from '../domain/identity.js';
import type { LibrarianStore } from '../ports/catalog/librarian-store.js';
import { output, type Output } from '../runtime/processor.js';

/** How long a purge that was asked for is given before it is asked for again. */
const askAgainMs = 10 * 60_000;

/**
 * Commands for the spaces that are due to be purged: nobody can be reading them any more, and a drain pass that began
 * after they were left has shown that no message is on its way to them.
 */
export async function spacePurges(
  store: Pick<LibrarianStore, 'retiredSpaces'>,
  { purgeAfterMs, startedAt, now }: { readonly purgeAfterMs: number; readonly startedAt: Date; readonly now: number },
): Promise<Output[]> {
  const retired = await store.retiredSpaces();
  return retired
    .filter(({ retired: { retiredAt, wasRead } }) => {
      return retiredAt < startedAt.getTime() && retiredAt + (wasRead ? purgeAfterMs : 0) <= now;
    })
    .map(({ workspace, collection, retired: { space, retiredAt } }) => {
      const asked = Math.floor((now - retiredAt) / askAgainMs);
      const id = uuidOf(`space-purge-due\0${workspace}\0${collection}\0${space.id}\0${retiredAt}\0${asked}`);
      const command = { kind: 'space-purge-due', workspace, collection, space: space.id };
      return output(topics.documentCommands, command, { 'message-id': id });
    });
}
