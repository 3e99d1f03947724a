import { safeText } from './safe-text.js';
import { styleOf, type Style } from './style.js';
import { wrap } from './wrap.js';

export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Where a command writes: results to stdout, everything else to stderr. */
export interface Output {
  readonly json: boolean;
  readonly out: Style;
  readonly err: Style;
  /** The result as one JSON document; nothing unless --json was given. */
  result(value: unknown): void;
  /** A line of the result for people; nothing with --json. */
  line(text?: string): void;
  /** A piece of the result for people, as it is made. */
  write(text: string): void;
  /** A remark beside the result. */
  note(text: string): void;
  /** One paragraph: what happened, to what, what to do. */
  error(error: { readonly code: string; readonly message: string }): void;
  readonly stderr: Sink;
}

export function outputTo(stdout: Sink, stderr: Sink, json: boolean, env: NodeJS.ProcessEnv): Output {
  const out = styleOf(stdout, env);
  const err = styleOf(stderr, env);
  return {
    json,
    out,
    err,
    stderr,
    result: (value) => {
      if (json) stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
    line: (text = '') => {
      if (!json) stdout.write(`${text}\n`);
    },
    write: (text) => {
      if (!json) stdout.write(text);
    },
    note: (text) => stderr.write(`${text}\n`),
    error: (error) => {
      const message = safeText(error.message);
      stderr.write(`${err.red('error:')} ${err.interactive ? wrap(message, err.width) : message}\n`);
      if (json) stdout.write(`${JSON.stringify({ error }, null, 2)}\n`);
    },
  };
}
