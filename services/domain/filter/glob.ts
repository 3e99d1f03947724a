/**
 * A case-insensitive glob over a whole value: `*` any run but of `/`, `**` any run, `?` one character but `/`, `[a-z]`
 * and `[^a-z]` classes, `\` takes the next character as it is. A malformed pattern matches nothing.
 */
export function glob(pattern: string): (value: string) => boolean {
  const source = regexOf(pattern);
  if (source === undefined) return () => false;
  try {
    const regex = new RegExp(`^(?:${source})$`, 'isu');
    return (value) => regex.test(value);
  } catch {
    return () => false; // a class such as [z-a]
  }
}

function regexOf(pattern: string): string | undefined {
  const parts: string[] = [];
  const characters = [...pattern];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? '';
    if (character === '*') {
      const run = characters.slice(index).findIndex((next) => next !== '*');
      const stars = run === -1 ? characters.length - index : run;
      parts.push(stars > 1 ? '.*' : '[^/]*');
      index += stars - 1;
    } else if (character === '?') {
      parts.push('[^/]');
    } else if (character === '[') {
      const end = classEnd(characters, index);
      if (end === undefined) return undefined;
      parts.push(classOf(characters.slice(index + 1, end)));
      index = end;
    } else if (character === '\\') {
      index++;
      const next = characters[index];
      if (next === undefined) return undefined;
      parts.push(escape(next));
    } else {
      parts.push(escape(character));
    }
  }
  return parts.join('');
}

/** The index of the `]` that ends a class, which holds at least one character. */
function classEnd(characters: readonly string[], start: number): number | undefined {
  const first = characters[start + 1] === '^' ? start + 2 : start + 1;
  for (let index = first; index < characters.length; index++) {
    if (characters[index] === '\\') index++;
    else if (characters[index] === ']' && index > first) return index;
  }
  return undefined;
}

function classOf(content: readonly string[]): string {
  const negated = content[0] === '^';
  const inner = (negated ? content.slice(1) : content)
    .map((character) => (character === '-' || character === '\\' ? character : escape(character)))
    .join('');
  return `[${negated ? '^' : ''}${inner}]`;
}

const escape = (character: string): string => (/[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character);
