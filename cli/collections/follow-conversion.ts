import { setTimeout as delay } from 'node:timers/promises';
import { SluiceApiError, type Conversion, type Operation, type SluiceApi } from '../../gateway/client/client.js';
import type { Cli } from '../cli.js';
import { exitCodes } from '../exit-codes.js';
import { count } from '../output/numbers.js';
import type { Output } from '../output/output.js';
import { safeLine } from '../output/safe-text.js';

interface Followed {
  readonly collection: string;
  /** The operation that ends with it, if this command began one. */
  readonly operation?: string | undefined;
}

const glanceMs = 2_000;

/** Says how a reindex or rechunk stands, once the librarian has taken up what was asked. */
export async function printConversion(
  output: Output,
  client: SluiceApi,
  { collection, operation, signal }: Followed & { readonly signal: AbortSignal },
): Promise<void> {
  const ended = operation === undefined ? undefined : await endWithin(client, operation, glanceMs, signal);
  const conversion = await client.conversion(collection, { signal });
  output.result({ ...conversion, ...(ended === undefined ? {} : { state: ended.state, reason: ended.reason }) });
  if (ended !== undefined) output.line(endOf(collection, ended));
  for (const line of linesOf(conversion)) output.line(line);
}

/** Follows it until it has ended, or until only documents that failed hold it: then with an exit code. */
export async function followConversion(
  cli: Cli,
  output: Output,
  client: SluiceApi,
  { collection, operation }: Followed,
): Promise<void> {
  const { signal } = cli;
  let last = '';
  for (;;) {
    const ended = operation === undefined ? undefined : await endWithin(client, operation, glanceMs, signal);
    const conversion = await client.conversion(collection, { signal });
    const over = ended !== undefined || (operation === undefined && conversion.kind === null);
    const held = conversion.kind === 'reindex' && conversion.waiting === 0 && conversion.failed > 0;
    if (over || held) {
      output.result({ ...conversion, ...(ended === undefined ? {} : { state: ended.state, reason: ended.reason }) });
      if (ended !== undefined) output.line(endOf(collection, ended));
      for (const line of linesOf(conversion)) output.line(line);
      if (held || (ended !== undefined && !['ready', 'unchanged'].includes(ended.state))) {
        cli.exitCode = exitCodes.failed;
      }
      return;
    }
    const [line = ''] = linesOf(conversion);
    if (line !== last) output.note(line);
    last = line;
    if (operation === undefined) await delay(glanceMs, undefined, { signal });
  }
}

/** How an operation ended, or undefined if it has not by then. */
async function endWithin(
  client: SluiceApi,
  operation: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Operation | undefined> {
  try {
    return await client.waitForOperation(operation, { timeoutMs, signal });
  } catch (error) {
    if (error instanceof SluiceApiError && error.code === 'deadline-exceeded') return undefined;
    throw error;
  }
}

const endOf = (collection: string, { state, reason }: Operation): string =>
  state === 'ready'
    ? `done: ${collection}`
    : state === 'unchanged'
      ? `nothing to do: ${collection} is like that already`
      : safeLine(reason ?? state);

function linesOf(conversion: Conversion): string[] {
  const { kind, space, target_space: target, documents, waiting, failed, failures, windowed_chunks: long } = conversion;
  const windowed = long === 0 ? [] : [`${count(long)} chunks are embedded in parts: longer than the model's window`];
  if (kind === null) return [`embeds with ${space.model}/${space.dimensions}`, ...windowed];
  const done = `${count(documents - waiting - failed)} of ${count(documents)} documents`;
  const to = target === null ? '' : ` to ${target.model}/${target.dimensions}`;
  const held =
    kind === 'reindex' && waiting === 0 && failed > 0
      ? ['these hold it: retry or delete them, or let it end without them with --skip-failed']
      : [];
  return [
    `${kind}${to}: ${done}${failed === 0 ? '' : `, ${count(failed)} failed`}`,
    ...windowed,
    ...failures.map(({ document_id: id, reason }) => `  ${safeLine(id)}: ${safeLine(reason ?? 'failed')}`),
    ...held,
  ];
}
