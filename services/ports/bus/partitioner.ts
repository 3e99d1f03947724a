/** Kafka's murmur2 (seed 0x9747b28c) of a key's bytes, as an unsigned 32-bit number. */
export function murmur2(key: Buffer): number {
  const multiplier = 0x5bd1e995;
  const whole = key.length & ~3;
  let hash = 0x9747b28c ^ key.length;
  for (let index = 0; index < whole; index += 4) {
    let word = Math.imul(key.readInt32LE(index), multiplier);
    word = Math.imul(word ^ (word >>> 24), multiplier);
    hash = Math.imul(hash, multiplier) ^ word;
  }
  const rest = key.length - whole;
  if (rest > 0) {
    let tail = 0;
    for (let index = rest - 1; index >= 0; index--) tail = (tail << 8) | key.readUInt8(whole + index);
    hash = Math.imul(hash ^ tail, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The partition of a key, the same one that Kafka's default partitioner takes. */
export const partitionOf = (key: string, partitions: number): number =>
  (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
