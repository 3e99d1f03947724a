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
