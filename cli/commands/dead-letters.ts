import { Command } from 'commander';
import type { DeadLetter, DeadLetterQuery, SluiceApi } from '../../gateway/client/client.js';
import { wholeNumber } from '../arguments.js';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { exitCodes } from '../exit-codes.js';
import { confirmed } from '../output/confirm.js';
import { hexDump } from '../output/hex-dump.js';
import { bytes, count } from '../output/numbers.js';
import { safeLine, safeText } from '../output/safe-text.js';
import { table } from '../output/table.js';
import { UsageError } from '../usage-error.js';

interface Selection extends ServerOptions {
  readonly collection?: string;
  readonly document?: string;
  readonly processor?: string;
}
interface ListOptions extends Selection {
  readonly all?: boolean;
  readonly limit: number;
}
interface SeveralOptions extends Selection {
  readonly allOpen?: boolean;
  readonly yes?: boolean;
}

export const deadLettersCommand = (cli: Cli): Command =>
  new Command('dead-letters')
    .description('Look at messages that a processor gave up; send them again, or drop them.')
    .addCommand(listCommand(cli))
    .addCommand(showCommand(cli))
    .addCommand(replayCommand(cli))
    .addCommand(dropCommand(cli));

const selecting = (command: Command): Command =>
  withServer(command)
    .option('-c, --collection <name>', 'about this collection')
    .option('--document <id>', 'about this document')
    .option('--processor <name>', 'given up by this processor');

const queryOf = ({ collection, document, processor }: Selection): DeadLetterQuery => ({
  ...(collection === undefined ? {} : { collection }),
  ...(document === undefined ? {} : { document_id: document }),
  ...(processor === undefined ? {} : { processor }),
});

const listCommand = (cli: Cli): Command =>
  selecting(new Command('list').description('List dead letters, the last to fail first.'))
    .option('--all', 'those too that are settled, replayed or dropped')
    .option('-n, --limit <count>', 'how many at most', wholeNumber(1, 1_000_000), 100)
    .action(async (options: ListOptions) => {
      const output = outputOf(cli, options);
      const query: DeadLetterQuery = {
        ...queryOf(options),
        state: options.all === true ? 'all' : 'open',
        limit: Math.min(options.limit, 500),
      };
      await withClient(options, async (client) => {
        const letters: DeadLetter[] = [];
        let more = false;
        for await (const letter of client.deadLetters(query, { signal: cli.signal })) {
          more = letters.length === options.limit;
          if (more) break;
          letters.push(letter);
        }
        output.result({ dead_letters: letters, more });
        if (letters.length === 0) {
          output.line('No dead letters.');
          return;
        }
        output.line(
          table(
            ['letter', 'state', 'about', 'version', 'failed', 'code'],
            letters.map((letter) => [
              letter.letter_id,
              letter.state,
              safeLine(aboutOf(letter)),
              letter.version === null ? '' : `${letter.version.version} ${letter.version.state}`,
              letter.failed_at,
              letter.code,
            ]),
          ),
        );
        for (const { letter_id, reason } of letters) {
          output.line(`\n${output.out.bold(letter_id)}\n  ${output.out.red(safeLine(reason))}`);
        }
        if (more) output.line(output.out.dim('\nand more: give --limit'));
      });
    });

const aboutOf = ({ kind, collection, document_id }: DeadLetter): string => {
  const place = [collection, document_id].filter((part) => part !== null).join('/');
  return [kind, place].filter((part) => part !== null && part !== '').join(' ') || 'unreadable';
};

const shownBytes = 512;

const showCommand = (cli: Cli): Command =>
  withServer(new Command('show').description('Show one dead letter with its bytes.').argument('<letter-id>')).action(
    async (letterId: string, options: ServerOptions) => {
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        const letter = await client.deadLetter(letterId, { signal: cli.signal });
        output.result(letter);
        const { version } = letter;
        const facts: [string, string | null][] = [
          ['letter', letter.letter_id],
          ['state', letter.state],
          ['topic', letter.topic],
          ['given up by', `${letter.processor}, after ${count(letter.attempts)} attempts`],
          ['about', aboutOf(letter)],
          ['version', version === null ? null : `${version.version}, ${version.state} ${version.reason ?? ''}`],
          ['published', letter.published_at],
          ['failed', letter.failed_at],
          ['code', letter.code],
          ['reason', letter.reason],
          ['key', letter.key],
          ['headers', JSON.stringify(letter.headers)],
          ['replayed as', letter.operation_id],
        ];
        for (const [name, value] of facts) {
          if (value !== null && value !== '') output.line(`${output.out.dim(name.padEnd(14))}${safeLine(value)}`);
        }
        if (letter.message !== null) output.line(`\n${safeText(JSON.stringify(letter.message, null, 2))}`);
        const raw = Buffer.from(letter.value_base64, 'base64');
        output.line(`\n${hexDump(raw.subarray(0, shownBytes))}`);
        if (raw.length > shownBytes) output.line(output.out.dim(`and more: ${bytes(raw.length)} in all; see --json`));
        if (letter.stack !== '') output.line(`\n${output.out.dim(safeText(letter.stack))}`);
      });
    },
  );

const several = (command: Command): Command =>
  selecting(command.argument('[letter-id...]')).option(
    '--all-open',
    'all that somebody has to look at, or those of a collection, document or processor',
  );

async function lettersOf(
  cli: Cli,
  client: SluiceApi,
  given: readonly string[],
  options: SeveralOptions,
): Promise<readonly string[]> {
  if (given.length > 0 === (options.allOpen === true)) throw new UsageError('give ids of letters, or --all-open');
  if (given.length > 0) return given;
  const ids: string[] = [];
  for await (const letter of client.deadLetters(queryOf(options), { signal: cli.signal })) ids.push(letter.letter_id);
  return ids;
}

const replayCommand = (cli: Cli): Command =>
  several(
    new Command('replay').description(
      'Send the messages of dead letters again, and wait for what comes of it. One after which something newer came is stale: nothing changes.',
    ),
  ).action(async (given: string[], options: SeveralOptions) => {
    const output = outputOf(cli, options);
    await withClient(options, async (client) => {
      const replayed: { letter_id: string; state: string; operation_id: string | null; reason: string | null }[] = [];
      for (const letterId of await lettersOf(cli, client, given, options)) {
        const sent = await client.replayDeadLetter(letterId, { signal: cli.signal });
        const ended =
          sent.state === 'replayed' && sent.operation_id !== null
            ? await client.waitForOperation(sent.operation_id, { signal: cli.signal })
            : sent;
        const one = {
          letter_id: letterId,
          state: ended.state,
          operation_id: sent.operation_id,
          reason: ended.reason,
        };
        replayed.push(one);
        output.line(`${letterId}: ${one.state}${one.reason === null ? '' : `, ${safeLine(one.reason)}`}`);
        if (one.state === 'failed' || one.state === 'refused') cli.exitCode = exitCodes.failed;
      }
      output.result({ replayed });
    });
  });

const dropCommand = (cli: Cli): Command =>
  several(new Command('drop').description('Take dead letters off the list. Their documents stay failed.'))
    .option('-y, --yes', 'do not ask')
    .action(async (given: string[], options: SeveralOptions) => {
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        const letters = await lettersOf(cli, client, given, options);
        if (options.allOpen === true && options.yes !== true) {
          await confirmed(cli, `Drop ${count(letters.length)} dead letters?`);
        }
        const dropped: { letter_id: string; state: string }[] = [];
        for (const letterId of letters) {
          const one = await client.dropDeadLetter(letterId, { signal: cli.signal });
          dropped.push(one);
          output.line(`${letterId}: ${one.state}`);
        }
        output.result({ dropped });
      });
    });
