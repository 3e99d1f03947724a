import { Command, Option } from 'commander';
import type { Collection, UpdateCollection } from '../../gateway/client/client.js';
import { repeated } from '../arguments.js';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { exitCodes } from '../exit-codes.js';
import { parseAttributes } from '../load/attributes.js';
import { confirmed } from '../output/confirm.js';
import { count, bytes } from '../output/numbers.js';
import { safeLine, safeText } from '../output/safe-text.js';
import { table } from '../output/table.js';
import { pinsOf, withPins, type PinOptions } from '../pins.js';
import { pauseCollectionCommand, resumeCollectionCommand } from './pause-collection.js';
import { rechunkCommand } from './rechunk.js';
import { reindexCommand } from './reindex.js';
import { UsageError } from '../usage-error.js';

export const collectionsCommand = (cli: Cli): Command =>
  new Command('collections')
    .description('Create, list, show, update, pause, resume, reindex, rechunk and delete collections.')
    .addCommand(createCommand(cli))
    .addCommand(listCommand(cli))
    .addCommand(showCommand(cli))
    .addCommand(updateCommand(cli))
    .addCommand(pauseCollectionCommand(cli))
    .addCommand(resumeCollectionCommand(cli))
    .addCommand(reindexCommand(cli))
    .addCommand(rechunkCommand(cli))
    .addCommand(deleteCommand(cli));

interface CreateOptions extends ServerOptions, PinOptions {
  readonly name?: string;
  readonly description?: string;
  readonly meta?: readonly string[];
  readonly chunkStrategy?: 'structure' | 'fixed';
  readonly language?: string;
}

const createCommand = (cli: Cli): Command =>
  withPins(
    withServer(
      new Command('create')
        .description('Create a collection. Its embedding model and chunks are pinned: reindex and rechunk change them.')
        .argument('<collection>'),
    ),
  )
    .option('--name <name>', 'a name for people')
    .option('--description <text>', 'what it holds')
    .option('--meta <key=value>', 'metadata; may be given several times', repeated)
    .addOption(new Option('--chunk-strategy <strategy>', 'how texts are cut').choices(['structure', 'fixed']))
    .option('--language <language>', 'of stems and stop words, such as english or german, or none')
    .action(async (collection: string, options: CreateOptions) => {
      const output = outputOf(cli, options);
      const pins = pinsOf(options);
      const chunker = {
        ...pins.chunker,
        ...(options.chunkStrategy === undefined ? {} : { strategy: options.chunkStrategy }),
      };
      await withClient(options, async (client) => {
        const created = await client.createCollection(
          {
            collection,
            ...(options.name === undefined ? {} : { name: options.name }),
            ...(options.description === undefined ? {} : { description: options.description }),
            ...(options.meta === undefined ? {} : { metadata: parseAttributes(options.meta) }),
            ...(options.language === undefined ? {} : { language: options.language }),
            ...pins,
            ...(Object.keys(chunker).length === 0 ? {} : { chunker }),
          },
          { signal: cli.signal },
        );
        output.result(created);
        output.line(`created ${output.out.bold(created.collection)}`);
        output.line(safeText(created.notice));
      });
    });

const listCommand = (cli: Cli): Command =>
  withServer(new Command('list').description('List the collections.')).action(async (options: ServerOptions) => {
    const output = outputOf(cli, options);
    await withClient(options, async (client) => {
      const collections = await client.listCollections({ signal: cli.signal });
      output.result({ collections });
      if (collections.length === 0) {
        output.line('No collections. Loading documents makes one: sluice load ./docs');
        return;
      }
      output.line(
        table(
          ['collection', 'embedding', 'chunks of', 'state', 'name'],
          collections.map((one) => [
            one.collection,
            spaceName(one),
            chunkerName(one),
            one.paused ? 'paused' : one.state,
            safeLine(one.name),
          ]),
        ),
      );
    });
  });

const spaceName = (collection: Collection): string => `${collection.space.model}/${collection.space.dimensions}`;
const chunkerName = ({ chunker }: Collection): string =>
  chunker === null ? 'nothing: read-only' : `${chunker.size} ${chunker.tokenizer} (${chunker.strategy})`;

const showCommand = (cli: Cli): Command =>
  withServer(new Command('show').description('Show a collection and what it holds.').argument('<collection>')).action(
    async (collection: string, options: ServerOptions) => {
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        const [shown, statistics] = await Promise.all([
          client.getCollection(collection, { signal: cli.signal }),
          client.collectionStatistics(collection, { signal: cli.signal }),
        ]);
        output.result({ ...shown, statistics });
        const { documents } = statistics;
        for (const [name, value] of [
          ['collection', shown.collection],
          ['name', shown.name],
          ['description', shown.description],
          ['metadata', Object.keys(shown.metadata).length === 0 ? '' : JSON.stringify(shown.metadata)],
          ['state', shown.paused ? 'paused' : shown.state],
          ['embedding', `${spaceName(shown)} (space ${shown.space.id})`],
          [
            'moving to',
            shown.target_space === null ? '' : `${shown.target_space.model}/${shown.target_space.dimensions}`,
          ],
          ['chunks of', chunkerName(shown) + (shown.chunker === null ? '' : `, overlap ${shown.chunker.overlap}`)],
          ['language', shown.language],
          [
            'documents',
            `${count(documents.ready)} ready, ${count(documents.processing)} processing, ` +
              `${count(documents.pending)} pending, ${count(documents.failed)} failed`,
          ],
          ['chunks', `${count(statistics.chunks)}, with ${count(statistics.vectors)} vectors`],
          ['size', bytes(statistics.bytes)],
          ['last ingest', statistics.last_ingest ?? 'never'],
          ['snapshot', statistics.snapshot],
        ] as const) {
          if (value !== '') output.line(`${output.out.dim(name.padEnd(14))}${safeLine(value)}`);
        }
      });
    },
  );

interface UpdateOptions extends ServerOptions {
  readonly name?: string;
  readonly description?: string;
  readonly meta?: readonly string[];
  readonly clearMeta?: boolean;
}

const updateCommand = (cli: Cli): Command =>
  withServer(
    new Command('update')
      .description('Change a collection’s name, description or metadata; what is not given stays.')
      .argument('<collection>'),
  )
    .option('--name <name>', 'a name for people')
    .option('--description <text>', 'what it holds')
    .option('--meta <key=value>', 'replaces all metadata; may be given several times', repeated)
    .option('--clear-meta', 'removes all metadata')
    .action(async (collection: string, options: UpdateOptions) => {
      const change: UpdateCollection = {
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(options.description === undefined ? {} : { description: options.description }),
        ...(options.meta === undefined ? {} : { metadata: parseAttributes(options.meta) }),
        ...(options.clearMeta === true ? { metadata: {} } : {}),
      };
      if (Object.keys(change).length === 0) {
        throw new UsageError('nothing to change: give --name, --description, --meta or --clear-meta');
      }
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        output.result(await client.updateCollection(collection, change, { signal: cli.signal }));
        output.line(`updated ${output.out.bold(collection)}`);
      });
    });

const deleteCommand = (cli: Cli): Command =>
  withServer(new Command('delete').description('Delete a collection with everything in it.').argument('<collection>'))
    .option('-y, --yes', 'do not ask')
    .action(async (collection: string, options: ServerOptions & { readonly yes?: boolean }) => {
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        if (options.yes !== true) await confirmed(cli, `Delete collection "${collection}" with everything in it?`);
        const submitted = await client.deleteCollection(collection, { signal: cli.signal });
        const operation = await client.waitForOperation(submitted.operation_id, { signal: cli.signal });
        output.result({ collection, state: operation.state });
        if (operation.state === 'failed' || operation.state === 'refused') {
          output.note(`${collection} was not deleted: ${safeLine(operation.reason ?? 'it was refused')}`);
          cli.exitCode = exitCodes.failed;
        } else {
          output.line(`deleted ${collection}`);
        }
      });
    });
