const otherSpace = /\s/;
const extend = /^[\p{M}\p{Grapheme_Extend}\u200d]/u;

/** Whether the unit at `index` is white space, as `\s` has it. */
export function isSpaceAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return unit === 0xa0 || (unit >= 0x1680 && unit !== 0x200d && unit <= 0xfeff && isOtherSpace(unit));
}

const isOtherSpace = (unit: number): boolean =>
  (unit < 0x3001 || unit === 0xfeff) && otherSpace.test(String.fromCharCode(unit));

/** Whether a mark at `index` belongs to the character before it, so that no cut may come between them. */
export function extendsCharacterBefore(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (!(unit >= 0x300)) return false;
  return extend.test(text.slice(index, index + 2));
}

/** The first position from `start` that a chunk may begin at: no space, unless a mark stands on it. */
export function skipSpaces(text: string, start: number, end: number): number {
  let index = start;
  while (index < end && isSpaceAt(text, index)) index++;
  return index > start && index < end && text[index - 1] !== '\n' && extendsCharacterBefore(text, index)
    ? index - 1
    : index;
}

/** The last position down from `end` that a chunk may end at. */
export function dropSpaces(text: string, start: number, end: number): number {
  let index = end;
  while (index > start && isSpaceAt(text, index - 1)) index--;
  return index;
}
