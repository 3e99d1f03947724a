import type { Writable } from 'node:stream';
import { Type, type Static } from '@sinclair/typebox';
import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';

export const logConfig = Type.Object({
  level: Type.Union(
    (['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const).map((level) => Type.Literal(level)),
    { description: 'The least severe lines that are written.', default: 'info' },
  ),
  format: Type.Union([Type.Literal('auto'), Type.Literal('json'), Type.Literal('pretty')], {
    description: 'One JSON object a line, or text for people; auto: text on a terminal, JSON elsewhere.',
    default: 'auto',
  }),
});

const secretNames = ['apiKey', 'authorization', 'password', 'secret', 'token'];
const contentNames = ['text', 'vector', 'vectors', 'question', 'answer', 'quote'];

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string;
  readonly cause?: unknown;
}

/** Of an error only what names it: the requests and responses that clients hang on theirs may hold keys and text. */
function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return {
    type: error.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined ? {} : { cause: loggedError(error.cause) }),
  } satisfies LoggedError;
}

/** The log of a process. Whatever is handed to it, fields with the names of secrets or content are left out. */
export function createLogger(config: Static<typeof logConfig>, stream: Writable = process.stdout): Logger {
  const forPeople =
    config.format === 'pretty' || (config.format === 'auto' && 'isTTY' in stream && stream.isTTY === true);
  const paths = [...secretNames, ...contentNames].flatMap((name) => [name, `*.${name}`]);
  return pino(
    {
      level: config.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: loggedError, error: loggedError },
      redact: { paths, remove: true },
    },
    forPeople ? pretty({ destination: stream, sync: true, translateTime: 'SYS:HH:MM:ss.l' }) : stream,
  );
}
