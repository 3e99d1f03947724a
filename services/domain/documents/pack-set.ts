/**
 * Which packs of a version are confirmed: one bit a pack, so that a million chunks cost two kilobytes. Values are never
 * changed in place.
 */
export type PackSet = Uint8Array;

export const noPacks: PackSet = new Uint8Array(0);

export const hasPack = (set: PackSet, pack: number): boolean => ((set[pack >> 3] ?? 0) & (1 << (pack & 7))) !== 0;

/** The set with `pack` in it; the very same set if it was there. */
export function withPack(set: PackSet, pack: number): PackSet {
  if (hasPack(set, pack)) return set;
  const grown = new Uint8Array(Math.max(set.length, (pack >> 3) + 1));
  grown.set(set);
  grown[pack >> 3] = (grown[pack >> 3] ?? 0) | (1 << (pack & 7));
  return grown;
}

/** The packs from 0 to `total` (excluded) that are not in the set, ascending. */
export function missingPacks(set: PackSet, total: number): number[] {
  const missing: number[] = [];
  for (let pack = 0; pack < total; pack++) if (!hasPack(set, pack)) missing.push(pack);
  return missing;
}

/** Whether the set holds every pack from 0 to `total` (excluded). */
export function holdsAllPacks(set: PackSet, total: number): boolean {
  const whole = total >> 3;
  if (set.length < Math.ceil(total / 8)) return false;
  for (let byte = 0; byte < whole; byte++) if (set[byte] !== 0xff) return false;
  const rest = (1 << (total & 7)) - 1;
  return ((set[whole] ?? 0) & rest) === rest;
}

export const packSetToBase64 = (set: PackSet): string => Buffer.from(set).toString('base64');
export const packSetFromBase64 = (text: string): PackSet => new Uint8Array(Buffer.from(text, 'base64'));
