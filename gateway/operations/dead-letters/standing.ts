import { topics } from '../../../schema/topics.js';
import type { LetterMark, LetterState } from '../../../services/ports/catalog/handled-letters.js';
import type { VersionRecord } from '../../../services/ports/catalog/port.js';
import type { GatewayContext } from '../context.js';
import { replayOf } from './identity.js';
import type { Letter } from './letters.js';

/** `open`: somebody has to look at it. `settled`: what it was about is deleted, replaced, or came right since. */
export type LetterStanding = 'open' | 'settled' | LetterState;

export interface JudgedLetter {
  readonly letter: Letter;
  readonly standing: LetterStanding;
  readonly mark: LetterMark | undefined;
  /** The version that it is about, if that is still there. */
  readonly version: VersionRecord | undefined;
}

/** Where these letters stand: what operators did with them, and what became of their versions meanwhile. */
export async function judgeLetters(
  context: Pick<GatewayContext, 'ports'>,
  letters: readonly Letter[],
): Promise<readonly JudgedLetter[]> {
  const { catalog } = context.ports;
  const hashes = new Set(letters.flatMap(({ subject }) => subject.versionHash ?? []));
  const [marks, versions] = await Promise.all([catalog.letterMarks(letters), catalog.versions([...hashes])]);
  const judged: JudgedLetter[] = [];
  for (const letter of letters) {
    const mark = marks.get(letter.id);
    const version = versions.get(letter.subject.versionHash ?? '');
    const standing = mark?.state ?? ((await supersededBy(context, letter, version)) === undefined ? 'open' : 'settled');
    judged.push({ letter, standing, mark, version });
  }
  return judged;
}

/** Why nothing is left to be done for a letter; undefined: there is. */
export async function supersededBy(
  context: Pick<GatewayContext, 'ports'>,
  letter: Letter,
  version: VersionRecord | undefined,
): Promise<string | undefined> {
  if (isCallersCommand(letter)) return newerCommand(context, letter);
  if (letter.subject.versionHash === undefined) return undefined;
  const name = `version ${letter.subject.version} of document ${JSON.stringify(letter.subject.documentId)}`;
  if (version === undefined) return `${name} is gone`;
  if (!isStageLetter(letter)) return undefined;
  if (version.state === 'superseded') return `a newer version has taken the place of ${name}`;
  if (version.state === 'deleting') return `${name} is being deleted`;
  const readySince = version.liveSince !== null && version.liveSince.getTime() >= letter.record.timestamp;
  return readySince ? `${name} became ready since` : undefined;
}

const stageTopics: ReadonlySet<string> = new Set(
  [topics.documentsAccepted, topics.documentsDecoded, topics.chunksCreated, topics.chunksEmbedded].map(
    ({ name }) => name,
  ),
);

/** A stage's letter comes with a failed version; a retry of that serves all letters of it. */
export const isStageLetter = ({ topic, subject }: Letter): boolean =>
  stageTopics.has(topic) && subject.versionHash !== undefined && !subject.imported;

/** Something that a caller asked for, and not what followed from it. */
export const isCallersCommand = ({ topic, subject: { kind, version } }: Letter): boolean =>
  topic === topics.documentCommands.name &&
  (kind === 'submit' || kind === 'retry' || ((kind === 'delete' || kind === 'delete-collection') && !version));

/**
 * Whether something was asked of the same document, or its collection was deleted, after the command that is dead: to do
 * it now would undo the newer one. Operations are in the order of the catalog's clock, not of the bus.
 */
async function newerCommand({ ports }: Pick<GatewayContext, 'ports'>, letter: Letter): Promise<string | undefined> {
  const { workspace = '', collection: id = '', documentId = '' } = letter.subject;
  const { catalog } = ports;
  const own = await catalog.operation(letter.record.headers['message-id'] ?? '');
  const collection = await catalog.collection(workspace, id);
  if (collection === undefined || collection.state === 'deleting') return `collection "${id}" is gone`;
  if (own !== undefined && collection.createdAt > own.createdAt) return `collection "${id}" was made anew since`;
  const newest = await catalog.latestOperation({ workspace, collection: id, documentId });
  if (own === undefined || newest === undefined || [own.id, replayOf(letter)].includes(newest.id)) return undefined;
  return `a newer ${newest.kind} of the same document came after it`;
}
