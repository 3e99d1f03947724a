/** How a stream may be written to. */
export interface Style {
  readonly interactive: boolean;
  readonly width: number;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * Colour only on a terminal, and never where NO_COLOR is set (https://no-color.org) or TERM is dumb; FORCE_COLOR
 * switches it on elsewhere. Width: the terminal's, at most 100 columns, else COLUMNS, else 80.
 */
export function styleOf(stream: Stream, env: NodeJS.ProcessEnv): Style {
  const interactive = stream.isTTY === true && env['TERM'] !== 'dumb';
  const set = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  const colour = !set('NO_COLOR') && (interactive || (set('FORCE_COLOR') && env['FORCE_COLOR'] !== '0'));
  const paint =
    (open: number, close: number) =>
    (text: string): string =>
      colour && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  const declared = Number(env['COLUMNS']);
  const natural = stream.columns ?? (Number.isInteger(declared) && declared > 0 ? declared : 80);
  return {
    interactive,
    width: Math.max(40, Math.min(100, natural)),
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}
