import { SluiceError } from '../../../services/domain/errors.js';
import type { DeadLetterDetails, DeadLetterPage } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { Call, GatewayContext } from '../context.js';
import { deadLetterDetailsView, deadLetterView } from '../views/dead-letter.js';
import { readLetters, requireLetter, type Letter } from './letters.js';
import { judgeLetters, type JudgedLetter } from './standing.js';

export interface DeadLetterSelection {
  readonly state?: 'open' | 'all';
  readonly collection?: string;
  readonly document_id?: string;
  readonly processor?: string;
}

/** One page of the workspace's dead letters, the last to fail first. */
export async function listDeadLetters(
  context: GatewayContext,
  call: Call,
  { after, limit = 100, ...selection }: DeadLetterSelection & { readonly after?: string; readonly limit?: number },
): Promise<DeadLetterPage> {
  requireUnfiltered(call.caller, 'read dead letters');
  const behind = after === undefined ? undefined : placeOf(after);
  const selected = await select(context, call, selection);
  const rest = selected
    .sort((a, b) => compare(a.letter, b.letter))
    .filter(({ letter }) => behind === undefined || compare(letter, behind) > 0);
  const page = rest.slice(0, limit);
  const last = page.at(-1)?.letter;
  return {
    dead_letters: page.map(deadLetterView),
    next: last === undefined || rest.length <= limit ? null : `${last.record.timestamp}:${last.id}`,
  };
}

/** One letter with its bytes. Throws not-found. */
export async function getDeadLetter(
  context: GatewayContext,
  call: Call,
  { letter_id }: { readonly letter_id: string },
): Promise<DeadLetterDetails> {
  requireUnfiltered(call.caller, 'read dead letters');
  const [judged] = await judgeLetters(context, [await requireLetter(context, call, letter_id)]);
  if (judged === undefined) throw new SluiceError('internal', `dead letter "${letter_id}" was not judged`);
  return deadLetterDetailsView(judged);
}

/** How many dead letters of the caller's workspace somebody has to look at. */
export async function countDeadLetters(context: GatewayContext, call: Call): Promise<number> {
  return (await select(context, call, {})).length;
}

async function select(
  context: GatewayContext,
  call: Call,
  { state = 'open', collection, document_id, processor }: DeadLetterSelection,
): Promise<JudgedLetter[]> {
  const letters: Letter[] = [];
  for await (const letter of readLetters(context, call)) {
    const { subject } = letter;
    const fits =
      (collection === undefined || subject.collection === collection) &&
      (document_id === undefined || subject.documentId === document_id) &&
      (processor === undefined || letter.processor === processor);
    if (fits) letters.push(letter);
  }
  const judged = await judgeLetters(context, letters);
  return judged.filter(({ standing }) => state === 'all' || standing === 'open' || standing === 'replaying');
}

type Place = Pick<Letter, 'id'> & { readonly record: Pick<Letter['record'], 'timestamp'> };

/** The last to fail first; of those at one time, by id. */
const compare = (a: Place, b: Place): number =>
  b.record.timestamp - a.record.timestamp || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

function placeOf(after: string): Place {
  const [timestamp = '', ...id] = after.split(':');
  if (/^\d+$/.test(timestamp) && id.length > 0) return { id: id.join(':'), record: { timestamp: Number(timestamp) } };
  throw new SluiceError('invalid-argument', `after=${after} is not what a page of dead letters gave as next`);
}
