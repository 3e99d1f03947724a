import snowball from 'snowball-stemmers';
import { SluiceError } from '../errors.js';

/** Every value that `LexicalAnalysis.language` may have. */
export const lexicalLanguages: readonly string[] = [...snowball.algorithms(), 'none'];

const identity = (word: string): string => word;
const stemmers = new Map<string, (word: string) => string>([['none', identity]]);

/** The stemmer of a Snowball language (`none`: words as they are); throws invalid-argument for an unknown one. */
export function stemmerOf(language: string): (word: string) => string {
  const known = stemmers.get(language);
  if (known !== undefined) return known;
  if (!lexicalLanguages.includes(language)) {
    throw new SluiceError(
      'invalid-argument',
      `lexical language ${JSON.stringify(language)} is unknown: use one of ${lexicalLanguages.join(', ')}`,
    );
  }
  const stemmer = snowball.newStemmer(language);
  const stem = (word: string): string => stemmer.stem(word);
  stemmers.set(language, stem);
  return stem;
}
