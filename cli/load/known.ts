import { SluiceApiError, type SluiceApi } from '../../gateway/client/client.js';
import type { Ledger, LedgerEntry } from './ledger.js';
import { agrees, type LoadPlan } from './plan.js';

/** What the server says today of the files that the ledger remembers. */
export interface Known {
  /**
   * `ready`: it holds that content and answers with it; `accepted`: it is still at work on it; undefined: send it.
   */
  stateOf(entry: LedgerEntry): Promise<'ready' | 'accepted' | undefined>;
}

const pageSize = 500;

/** Lists the collection once, if anything is remembered, and keeps one hash a remembered document. */
export async function askWhatIsKnown(
  client: SluiceApi,
  plan: LoadPlan,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Known> {
  const readyContent = new Map<string, string>();
  if (ledger.size > 0 && !plan.force) {
    const remembered = ledger.documentIds();
    for await (const document of client.listDocuments({ collection: plan.collection, limit: pageSize }, { signal })) {
      const { newest, document_id } = document;
      if (newest?.state === 'ready' && remembered.has(document_id) && agrees(plan, document)) {
        readyContent.set(document_id, newest.content_hash);
      }
    }
  }
  return {
    stateOf: async (entry) => {
      if (readyContent.get(entry.documentId) === entry.contentHash) return 'ready';
      try {
        const operation = await client.operation(entry.operationId, { signal });
        return operation.state === 'accepted' ? 'accepted' : undefined;
      } catch (error) {
        if (error instanceof SluiceApiError && error.status === 404) return undefined;
        throw error;
      }
    },
  };
}
