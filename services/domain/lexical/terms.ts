import { SluiceError } from '../errors.js';
import type { LexicalAnalysis } from '../lexical-analysis.js';
import { stemmerOf } from './stemmer.js';
import { stopWords } from './stop-words.js';

/** A run of letters and digits, or several joined by single marks, as in `7.3.2`, `aura-7`, `max_bytes`, `1,500`, `it's`. */
const asciiToken = /[a-z0-9]+(?:['.,_-][a-z0-9]+)*/g;
/** Scripts that write words without spaces between them. */
const unspacedScript = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const unspaced = new RegExp(`[${unspacedScript}]`, 'u');
const spacedRun = `(?:(?![${unspacedScript}])[\\p{L}\\p{N}\\p{M}])+`;
const unspacedRun = `(?:(?=[${unspacedScript}])[\\p{L}\\p{N}\\p{M}])+`;
const unicodeToken = new RegExp(`${unspacedRun}|${spacedRun}(?:['.,_-]${spacedRun})*`, 'gu');
// eslint-disable-next-line no-control-regex -- "is all of it ASCII" is the question
const onlyAscii = /^[\x00-\x7f]*$/;
/** Longer terms are cut: no word is that long, and no store needs to hold such keys. */
const maxTermLength = 128;
const maxCachedTokens = 100_000;

/** Everything about one analysis that is worth keeping between calls. */
interface Analyser {
  readonly stem: (word: string) => string;
  readonly stops: ReadonlySet<string>;
  /** English writes contractions with the apostrophe; elsewhere (l'homme, dell'arte) it joins two words. */
  readonly apostropheJoins: boolean;
  /** What a token of the text became: most tokens of a text have been seen before. */
  readonly seen: Map<string, readonly string[]>;
}

const analysers = new Map<string, Analyser>();
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

function analyserOf({ version, language }: LexicalAnalysis): Analyser {
  if (version !== 1) {
    throw new SluiceError('unsupported', `lexical analysis version ${version} is unknown to this build, which has 1`);
  }
  let analyser = analysers.get(language);
  if (analyser === undefined) {
    const stem = stemmerOf(language);
    const apostropheJoins = language === 'english' || language === 'porter';
    const stops = stopWords(language === 'porter' ? 'english' : language);
    analyser = { stem, stops, apostropheJoins, seen: new Map() };
    analysers.set(language, analyser);
  }
  return analyser;
}

/**
 * The lexical terms of a text or query, in order, repetitions kept: NFKC, lower case, Unicode words (scripts without
 * spaces by `Intl.Segmenter`), stop words dropped, Snowball stems. Numbers and identifiers joined by `.`, `-`, `_` or
 * `,` stand whole and unstemmed, followed by their parts as words of their own. No term contains white space, and
 * nothing in a text is syntax. Throws invalid-argument for an unknown language, unsupported for an unknown version.
 */
export function terms(text: string, analysis: LexicalAnalysis): string[] {
  const analyser = analyserOf(analysis);
  const normal = onlyAscii.test(text) ? text.toLowerCase() : normalise(text);
  const tokens = normal.match(onlyAscii.test(normal) ? asciiToken : unicodeToken);
  const found: string[] = [];
  for (const token of tokens ?? []) {
    let expanded = analyser.seen.get(token);
    if (expanded === undefined) {
      expanded = expand(token, analyser);
      if (analyser.seen.size >= maxCachedTokens) analyser.seen.clear();
      if (token.length <= maxTermLength) analyser.seen.set(token, expanded);
    }
    for (const term of expanded) found.push(term);
  }
  return found;
}

/**
 * Soft hyphens go; hyphens and apostrophes become the ASCII ones and other typographic marks spaces, which leaves most
 * English text ASCII; Thai and Lao AM, which NFKC splits, is put together again for the segmenter's dictionary.
 */
const normalise = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\u00ad/g, '')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/\u2010/g, '-')
    .replace(/[\u2000-\u206f]/g, ' ')
    .replace(/\u0e4d\u0e32/g, '\u0e33')
    .replace(/\u0ecd\u0eb2/g, '\u0eb3');

function expand(token: string, analyser: Analyser): readonly string[] {
  const joined = analyser.apostropheJoins ? /[.,_-]/ : /['.,_-]/;
  if (!joined.test(token)) return words(token, analyser);
  const found: string[] = [];
  for (const piece of identifiers(token, analyser.apostropheJoins)) {
    const parts = piece.split(joined);
    if (parts.length > 1) found.push(cut(piece));
    for (const part of parts) found.push(...words(part, analyser));
  }
  return found;
}

/** Splits at what joins nothing: a comma that is not between digits, an apostrophe in languages where it elides. */
const identifiers = (token: string, apostropheJoins: boolean): string[] =>
  token.split(apostropheJoins ? /(?<!\p{N}),|,(?!\p{N})/u : /(?<!\p{N}),|,(?!\p{N})|'/u);

function words(word: string, analyser: Analyser): readonly string[] {
  if (!unspaced.test(word)) return stemmed(word, analyser);
  const found: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(word)) {
    if (isWordLike === true) found.push(...stemmed(segment, analyser));
  }
  return found;
}

function stemmed(word: string, { stem, stops }: Analyser): readonly string[] {
  if (stops.has(word)) return [];
  return [cut(/\p{N}/u.test(word) ? word : stem(word))];
}

/** At most `maxTermLength` UTF-16 units, never half a surrogate pair. */
const cut = (term: string): string =>
  term.length <= maxTermLength ? term : term.slice(0, maxTermLength).replace(/[\ud800-\udbff]$/, '');
