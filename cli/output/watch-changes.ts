import type { DocumentEvent, SluiceApi, WatchOptions } from '../../gateway/client/client.js';
import type { Cli } from '../cli.js';
import { exitCodes } from '../exit-codes.js';
import type { Output } from './output.js';
import { safeLine } from './safe-text.js';

/** Writes a line for each change of a document, as JSON where that is wanted, until Ctrl-C. */
export async function watchChanges(
  cli: Cli,
  output: Output,
  client: SluiceApi,
  { collection, after }: Pick<WatchOptions, 'collection' | 'after'>,
): Promise<void> {
  const wanted = {
    ...(collection === undefined ? {} : { collection }),
    ...(after === undefined ? { from: 'now' as const } : { after }),
    signal: cli.signal,
  };
  try {
    for await (const event of client.watch(wanted)) {
      if (output.json) cli.stdout.write(`${JSON.stringify(event)}\n`);
      else if (event.kind === 'document') output.line(lineOf(event));
      else output.note('Watching. Ctrl-C ends it.');
    }
  } catch (error) {
    if (!cli.signal.aborted) throw error;
    cli.exitCode = exitCodes.interrupted;
  }
}

const lineOf = ({ at, collection, document_id, seq, deleted, newest }: DocumentEvent): string => {
  const state = deleted ? 'deleted' : (newest?.state ?? 'deleting');
  const version = newest === null ? '' : ` version ${newest.version}`;
  const reason = newest?.reason == null ? '' : `: ${safeLine(newest.reason)}`;
  return `${at}  ${state.padEnd(11)}${collection}/${safeLine(document_id)}${version}, change ${seq}${reason}`;
};
