import { codePoints } from '../text.js';
import { fitPrefix } from './fit-prefix.js';
import { unprinted } from './unprinted.js';

/** A hit with its text, as it may enter a context. */
export interface ContextHit {
  /** Names the text that `start` and `end` count in: hits of the same one may overlap. */
  readonly versionHash: string;
  /** False: the text is missing, and the hit is never included. */
  readonly hydrated: boolean;
  readonly text: string;
  /** What is repeated before the text, outside of the offsets. */
  readonly lead: string | null;
  readonly headingPath: readonly string[];
  readonly source: string;
  /** Code points into the version's decoded text. */
  readonly start: number;
  readonly end: number;
}

/** A hit in a context. */
export interface IncludedHit<H extends ContextHit> {
  /** `[n]`: 1 for the first included hit. */
  readonly marker: number;
  /** The hit's place among all hits, from 0. */
  readonly position: number;
  readonly hit: H;
  /** Less than the hit's own end when it was cut to fit. */
  readonly end: number;
  /** The hit's text up to `end`. */
  readonly text: string;
  /** What of it is printed: without what an earlier passage of the context prints already. */
  readonly printed: string;
}

export interface Context<H extends ContextHit> {
  /** The rendered passages, a blank line between them. */
  readonly context: string;
  readonly passages: readonly IncludedHit<H>[];
  /** Of the rendered passages, separators not counted. */
  readonly totalTokens: number;
  readonly maxTokens: number;
  /** Positions of the hits in the context; passage `[n]` is the hit `included[n - 1]`. */
  readonly included: readonly number[];
  /** The position of the first hit that is not, or -1. */
  readonly firstExcluded: number;
}

export interface AssembleOptions<H extends ContextHit> {
  /** 0 or less: 4,096. */
  readonly maxTokens: number;
  countTokens(text: string): number;
  /** A passage as it stands in the context, header and all. */
  render(passage: Pick<IncludedHit<H>, 'marker' | 'hit' | 'printed'>): string;
}

const defaultMaxTokens = 4096;

/**
 * Puts hits into a context of at most `maxTokens`, in order. One that does not fit is left out and the next one tried;
 * the first is cut rather than left out. What two passages of one text share is printed once.
 */
export function assemble<H extends ContextHit>(hits: readonly H[], options: AssembleOptions<H>): Context<H> {
  const maxTokens = options.maxTokens > 0 ? options.maxTokens : defaultMaxTokens;
  const passages: IncludedHit<H>[] = [];
  const blocks: string[] = [];
  const first = hits.find(({ hydrated }) => hydrated);
  let totalTokens = 0;
  hits.forEach((hit, position) => {
    if (!hit.hydrated) return;
    const marker = passages.length + 1;
    const block = (text: string): { printed: string; rendered: string; tokens: number } => {
      const printed = unprinted({ ...hit, text, end: hit.start + codePoints(text) }, passages);
      const rendered = options.render({ marker, hit, printed });
      return { printed, rendered, tokens: options.countTokens(rendered) };
    };
    const room = maxTokens - totalTokens;
    const text = hit === first ? fitPrefix(hit.text, (prefix) => block(prefix).tokens <= room) : hit.text;
    const { printed, rendered, tokens } = block(text);
    if (tokens > room || (text === '' && hit.text !== '')) return;
    passages.push({ marker, position, hit, printed, text, end: hit.start + codePoints(text) });
    blocks.push(rendered);
    totalTokens += tokens;
  });
  const included = passages.map(({ position }) => position);
  return {
    ...{ context: blocks.join('\n\n'), passages, totalTokens, maxTokens, included },
    firstExcluded: hits.findIndex((_, position) => !included.includes(position)),
  };
}
