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
