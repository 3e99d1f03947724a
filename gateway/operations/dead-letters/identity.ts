import { uuidOf } from '../../../services/domain/identity.js';
import type { LetterKey } from '../../../services/ports/catalog/handled-letters.js';

/** The operation that a replay of the letter becomes: the same one, whoever replays it and however often. */
export const replayOf = ({ id, publishedAt }: LetterKey): string => uuidOf(`replay\0${id}\0${publishedAt}`);
