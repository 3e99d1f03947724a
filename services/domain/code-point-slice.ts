/** The code points `start` to `end` (exclusive) of a text: the unit of every offset. */
export function sliceCodePoints(text: string, start: number, end: number): string {
  const from = unitIndex(text, 0, start);
  return text.slice(from, unitIndex(text, from, end - start));
}

/** The index of the string that lies `count` code points after index `from`. */
function unitIndex(text: string, from: number, count: number): number {
  let index = from;
  for (let passed = 0; passed < count && index < text.length; passed++) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return index;
}
