import { SluiceError } from '../../../services/domain/errors.js';
import { blobKeys } from '../../../services/ports/blob-store/keys.js';
import { crashPoint } from '../../../services/runtime/crash-points.js';
import { headersBeforeDeath } from '../../../services/runtime/delivery/dead-letter.js';
import type { DroppedLetter, ReplayedLetter } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { Call, GatewayContext } from '../context.js';
import { publishRetry } from '../documents/retry-document.js';
import { replayOf } from './identity.js';
import { requireLetter, type Letter } from './letters.js';
import { isCallersCommand, isStageLetter, supersededBy } from './standing.js';

/** How long a letter is an operator's who died; long enough to publish one message. */
const leaseMs = 10_000;

/**
 * Sends a dead letter's message again. One of a stage becomes a retry of its version, which serves all letters of that;
 * a caller's command is given again unless something newer came after it; all else goes out as it was: bytes, key and
 * headers. Published first, then marked: what a crash leaves between them is replayed once more, under the same ids, and
 * changes nothing. Throws not-found, and unavailable while somebody else is at it.
 */
export async function replayDeadLetter(
  context: GatewayContext,
  call: Call,
  { letter_id }: { readonly letter_id: string },
): Promise<ReplayedLetter> {
  requireUnfiltered(call.caller, 'replay a dead letter');
  const { catalog } = context.ports;
  const letter = await requireLetter(context, call, letter_id);
  if (!(await catalog.claimLetter(letter, leaseMs))) return dealtWith(context, letter);
  const stale = await staleReason(context, letter);
  if (stale !== undefined) {
    await catalog.markLetter(letter, 'dropped', null);
    return { letter_id, state: 'stale', operation_id: null, reason: stale };
  }
  const operation = await sendAgain(context, letter);
  crashPoint('gateway.letter-replayed');
  await catalog.markLetter(letter, 'replayed', operation);
  return { letter_id, state: 'replayed', operation_id: operation, reason: null };
}

/** Takes a dead letter off the list; its version stays failed. Throws not-found, and unavailable as replays do. */
export async function dropDeadLetter(
  context: GatewayContext,
  call: Call,
  { letter_id }: { readonly letter_id: string },
): Promise<DroppedLetter> {
  requireUnfiltered(call.caller, 'drop a dead letter');
  const letter = await requireLetter(context, call, letter_id);
  if (!(await context.ports.catalog.claimLetter(letter, leaseMs))) {
    const { state } = await dealtWith(context, letter);
    return { letter_id, state };
  }
  await context.ports.catalog.markLetter(letter, 'dropped', null);
  return { letter_id, state: 'dropped' };
}

/** What another operator, or an earlier call, made of it. */
async function dealtWith({ ports }: GatewayContext, letter: Letter): Promise<ReplayedLetter> {
  const mark = (await ports.catalog.letterMarks([letter])).get(letter.id);
  if (mark === undefined || mark.state === 'replaying') {
    throw new SluiceError('unavailable', `dead letter "${letter.id}" is in somebody's hands: try again in a moment`, {
      retryAfterMs: 1_000,
    });
  }
  return { letter_id: letter.id, state: mark.state, operation_id: mark.operation, reason: null };
}

/** Why a caller's command must not be given again. What stages do is for the librarian to judge, in order. */
async function staleReason(context: GatewayContext, letter: Letter): Promise<string | undefined> {
  if (!isCallersCommand(letter)) return undefined;
  const newer = await supersededBy(context, letter, undefined);
  if (newer !== undefined || letter.subject.kind !== 'submit') return newer;
  const { workspace = '', uploadId } = letter.subject;
  if (uploadId !== undefined && (await context.ports.blobStore.head(blobKeys.source(workspace, uploadId))))
    return newer;
  return 'the bytes of the upload are no longer kept: submit the document again';
}

async function sendAgain(context: GatewayContext, letter: Letter): Promise<string | null> {
  const { workspace = '', collection = '', documentId = '', version, versionHash, kind } = letter.subject;
  const key = { workspace, collection, documentId };
  if (isStageLetter(letter) && version !== undefined && versionHash !== undefined) {
    return (await publishRetry(context, key, replayOf(letter), { number: version, hash: versionHash })).id;
  }
  const { value, key: recordKey } = letter.record;
  const headers = headersBeforeDeath(letter.record.headers);
  const operation = isCallersCommand(letter) ? (headers['message-id'] ?? null) : null;
  if (kind !== 'submit') {
    await context.ports.bus.publish([{ topic: letter.topic, key: recordKey, value, headers }]);
    return operation;
  }
  // Its first operation has failed for good, and its caller knows: this is another.
  const { id } = await context.ports.catalog.createOperation({ ...key, id: replayOf(letter), kind });
  await context.ports.bus.publish([
    { topic: letter.topic, key: recordKey, value, headers: { ...headers, 'message-id': id } },
  ]);
  return id;
}
