import type { Command } from './command.js';
import { rechunkDocument, reindexDocument } from './conversion.js';
import type { Decision } from './decision.js';
import { deleteDocument, purgeDue, purged } from './deletion.js';
import { Draft } from './draft.js';
import { chunked, decoded, failed, indexed } from './progress.js';
import { resumed, retry, stalled } from './recovery.js';
import type { CollectionFacts, DocumentState } from './state.js';
import { submit, submitFailed } from './submit.js';

/**
 * What a command does to a document: the next state, the messages that must follow, the outcomes of operations. Pure;
 * `now` is the catalog's clock in epoch ms, read after the document's row was locked. A command about a version that is
 * dead, unknown or further on changes nothing, however late or often it comes.
 */
export function decide(
  state: DocumentState,
  command: Command,
  collection: CollectionFacts | undefined,
  now: number,
): Decision {
  const draft = new Draft(state, now);
  switch (command.kind) {
    case 'submit':
      submit(draft, command, collection);
      break;
    case 'submit-failed':
      submitFailed(draft, command);
      break;
    case 'decoded':
      decoded(draft, command, collection);
      break;
    case 'chunked':
      chunked(draft, command, collection);
      break;
    case 'indexed':
      indexed(draft, command, collection);
      break;
    case 'failed':
      failed(draft, command, collection);
      break;
    case 'delete':
      deleteDocument(draft, command);
      break;
    case 'retry':
      retry(draft, command, collection);
      break;
    case 'stalled':
      stalled(draft, command, collection);
      break;
    case 'resumed':
      resumed(draft, command, collection);
      break;
    case 'purge-due':
      purgeDue(draft, command);
      break;
    case 'purged':
      purged(draft, command);
      break;
    case 'reindex':
      reindexDocument(draft, collection);
      break;
    case 'rechunk':
      rechunkDocument(draft, collection);
      break;
    case 'payload-updated':
      // The writer repeats until the revision stands still, so there is nothing left to remember.
      break;
  }
  return draft.finish();
}
