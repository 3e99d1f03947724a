/** A sentence as it reads on one line: the line breaks of its source, and the `>` of a quotation after them, are spaces. */
export const oneLine = (sentence: string): string =>
  sentence
    .replace(/[\r\n]\s*(?:>\s?)*/g, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
