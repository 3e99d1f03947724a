import { safeLine } from './safe-text.js';

type Facts = Readonly<Record<string, unknown>>;

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** What one list says of a hit: `rank 3, score 0.412`, or that it does not have it. */
export function placeInList(place: unknown): string {
  if (!isFacts(place)) return 'not among its candidates';
  const rank = numberOf(place['rank']);
  const score = numberOf(place['score']);
  return `rank ${rank ?? '?'}${score === undefined ? '' : `, score ${score.toFixed(3)}`}`;
}

/** The words of the question that a hit holds, as the index has them. */
export const matchedTerms = (place: unknown): string =>
  isFacts(place) && Array.isArray(place['terms'])
    ? place['terms'].map((term) => safeLine(String(term))).join(', ')
    : '';

/** Why a hit stands where it stands, one line a fact: the known facts in words, then whatever else the server tells. */
export function explanationOf(explain: Facts): string[] {
  const { vector, lexical, ...others } = explain;
  const lines: string[] = [];
  if (vector !== undefined) lines.push(`vectors: ${placeInList(vector)}${share(vector)}`);
  if (lexical !== undefined) {
    const terms = matchedTerms(lexical);
    lines.push(`words: ${placeInList(lexical)}${share(lexical)}${terms === '' ? '' : ` (${terms})`}`);
  }
  return [...lines, ...factsOf(others)];
}

const share = (place: unknown): string => {
  const contribution = isFacts(place) ? numberOf(place['contribution']) : undefined;
  return contribution === undefined ? '' : `, gives ${contribution.toFixed(3)}`;
};

/** Facts as lines of `name: value`; what is null is left out. */
export const factsOf = (facts: Facts): string[] =>
  Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${safeLine(name.replaceAll('_', ' '))}: ${inWords(value)}`);

function inWords(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : value.toFixed(4);
  if (typeof value === 'string') return safeLine(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inWords).join(', ');
  if (!isFacts(value)) return String(value);
  return Object.entries(value)
    .filter(([, part]) => part !== null && part !== undefined)
    .map(([name, part]) => `${safeLine(name.replaceAll('_', ' '))} ${inWords(part)}`)
    .join(', ');
}
