import { packageDocuments, type BenchDocument } from '../bench/documents.js';

/** Real documentation, repeated, numbered so that no two parts are equal: about this many bytes, a piece at a time. */
export function* largeText(bytes: number): Generator<string> {
  const texts = packageDocuments();
  let written = 0;
  for (let round = 0; written < bytes; round++) {
    for (const { id, body } of texts) {
      const part = `Part ${round} of ${id}\n\n${body}\n\n`;
      yield part;
      written += Buffer.byteLength(part);
      if (written >= bytes) return;
    }
  }
}

/** Documents of a paragraph each. */
export const smallDocuments = (count: number): readonly BenchDocument[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `note-${index}`,
    body: `Note ${index}: valve ${index % 977} of pump ${index % 89} was opened at ${index % 24}:00 and closed again.\n`,
  }));
