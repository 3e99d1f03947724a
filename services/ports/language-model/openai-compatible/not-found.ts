/**
 * Whether an answer says nothing but that there is none: empty, or the sentence that the model was told to say then.
 * Letters and digits count, case, quotes, markers such as `[1]` and marks around it do not; one word more is an answer.
 */
export function saysNotFound(answer: string, notFoundText: string | undefined): boolean {
  const said = bare(answer);
  return said === '' || (notFoundText !== undefined && said === bare(notFoundText));
}

const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\[[\d\s,]*\]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
