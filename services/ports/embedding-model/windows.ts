/**
 * Cuts a text into windows of at most `maxTokens`, as even as the bounds of words allow; together they are the text.
 * A word longer than a window is cut between code points. `countTokens` counts what the model is given for a text, with
 * all that is put around it; at least one token of a window must be left for the text.
 */
export function windowsOf(text: string, maxTokens: number, countTokens: (text: string) => number): readonly string[] {
  if (countTokens(text) <= maxTokens) return [text];
  const around = countTokens('');
  const room = maxTokens - around;
  const pieces = words(text)
    .flatMap((word) => fitting(word, (part) => countTokens(part) <= maxTokens))
    .map((piece) => ({ piece, tokens: Math.max(1, countTokens(piece) - around) }));
  if (pieces.length === 1) return [text];
  // Tokens of words need not add up to those of a text: what turns out too long is cut again.
  return packed(pieces, room).flatMap((window) => windowsOf(window, maxTokens, countTokens));
}

/** Words, each with the spaces before it. */
const words = (text: string): readonly string[] => text.match(/\s*\S+(?:\s+$)?|\s+/gu) ?? [];

function fitting(word: string, fits: (part: string) => boolean): readonly string[] {
  const points = [...word];
  if (points.length <= 1 || fits(word)) return [word];
  const half = points.length >> 1;
  return [points.slice(0, half).join(''), points.slice(half).join('')].flatMap((part) => fitting(part, fits));
}

interface Piece {
  readonly piece: string;
  readonly tokens: number;
}

/** At least two windows of two pieces or more, so that cutting again comes to an end. */
function packed(pieces: readonly Piece[], room: number): readonly string[] {
  const total = pieces.reduce((sum, { tokens }) => sum + tokens, 0);
  const least = Math.max(2, Math.ceil(total / room));
  const windows: string[] = [];
  let window = '';
  let size = 0;
  for (const { piece, tokens } of pieces) {
    const filled = windows.length < least - 1 && size + tokens / 2 > total / least;
    if (size > 0 && (filled || size + tokens > room)) {
      windows.push(window);
      window = '';
      size = 0;
    }
    window += piece;
    size += tokens;
  }
  return [...windows, window];
}
