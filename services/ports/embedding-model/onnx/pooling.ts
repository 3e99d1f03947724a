export type Pooling = 'mean' | 'first';

/** One vector of the vectors of all tokens, which lie one after the other in `hidden`: their mean or the first. */
export function pool(hidden: Float32Array, dimensions: number, pooling: Pooling): Float32Array {
  if (pooling === 'first') return hidden.slice(0, dimensions);
  const sum = new Float64Array(dimensions);
  for (let from = 0; from < hidden.length; from += dimensions) {
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + (hidden[from + at] ?? 0);
  }
  const tokens = hidden.length / dimensions;
  return Float32Array.from(sum, (value) => value / tokens);
}

/** The vector at length 1; a zero vector stays what it is. */
export function unitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The mean of unit-length vectors, itself of unit length: every window counts the same. */
export function unitMean(vectors: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(), ...others] = vectors;
  if (others.length === 0) return first;
  return unitLength(first.map((value, at) => others.reduce((sum, other) => sum + (other[at] ?? 0), value)));
}
