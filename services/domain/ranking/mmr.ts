import { SluiceError } from '../errors.js';
import { compareBytes } from '../identity.js';
import { distinct } from './fused.js';

export interface MmrCandidate {
  readonly id: string;
  /** On the scale of a cosine: 1 is a perfect match. */
  readonly relevance: number;
  /** Absent: resembles nothing. */
  readonly vector?: Float32Array;
}

export interface MmrChoice<C extends MmrCandidate> {
  readonly candidate: C;
  /** λ·relevance − (1−λ)·redundancy at the moment of the choice. */
  readonly value: number;
  /** The greatest cosine to those chosen before; at least 0. */
  readonly redundancy: number;
}

/**
 * Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): chooses, one by one, the candidate of the greatest
 * λ·relevance − (1−λ)·max cosine to the chosen; equal values by id in byte order. `lambda` in [0, 1]: 1 is plain
 * relevance. Throws invalid-argument for another λ.
 */
export function mmr<C extends MmrCandidate>(
  candidates: readonly C[],
  { lambda, limit }: { readonly lambda: number; readonly limit: number },
): readonly MmrChoice<C>[] {
  if (!(lambda >= 0 && lambda <= 1)) {
    throw new SluiceError('invalid-argument', `mmr_lambda ${lambda} is not between 0 and 1`);
  }
  const rest = distinct(candidates, ({ id }) => id).map((candidate) => ({
    candidate,
    unit: unitLength(candidate.vector),
    redundancy: 0,
  }));
  const chosen: MmrChoice<C>[] = [];
  while (chosen.length < limit && rest.length > 0) {
    const valued = rest.map((entry) => ({
      ...entry,
      value: lambda * entry.candidate.relevance - (1 - lambda) * entry.redundancy,
    }));
    const best = valued.reduce((a, b) =>
      b.value > a.value || (b.value === a.value && compareBytes(b.candidate.id, a.candidate.id) < 0) ? b : a,
    );
    chosen.push({ candidate: best.candidate, value: best.value, redundancy: best.redundancy });
    rest.splice(
      rest.findIndex(({ candidate }) => candidate === best.candidate),
      1,
    );
    for (const entry of rest) entry.redundancy = Math.max(entry.redundancy, dot(entry.unit, best.unit));
  }
  return chosen;
}

function unitLength(vector: Float32Array | undefined): Float32Array | undefined {
  if (vector === undefined) return undefined;
  const norm = Math.hypot(...vector);
  return norm > 0 ? vector.map((value) => value / norm) : undefined;
}

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (a === undefined || b === undefined) return 0;
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
