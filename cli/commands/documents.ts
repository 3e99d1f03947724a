import { Command, Option } from 'commander';
import type { Document, DocumentSelection, VersionState } from '../../gateway/client/client.js';
import { wholeNumber } from '../arguments.js';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { exitCodes } from '../exit-codes.js';
import { bytes, count } from '../output/numbers.js';
import { safeLine, safeText } from '../output/safe-text.js';
import { nameOf } from '../output/sources.js';
import { table } from '../output/table.js';
import { retryDocumentCommand } from './retry-document.js';

interface OneOptions extends ServerOptions {
  readonly collection: string;
}
interface ListOptions extends ServerOptions {
  readonly collection?: string;
  readonly state?: VersionState;
  readonly source?: string;
  readonly tag?: string;
  readonly limit: number;
}

const states = ['pending', 'processing', 'ready', 'failed'] as const;

export const documentsCommand = (cli: Cli): Command =>
  new Command('documents')
    .description('List, show, retry and delete documents.')
    .addCommand(listCommand(cli))
    .addCommand(showCommand(cli))
    .addCommand(textCommand(cli))
    .addCommand(retryDocumentCommand(cli))
    .addCommand(deleteCommand(cli));

const one = (command: Command): Command =>
  withServer(command).option('-c, --collection <name>', 'the collection of the document', 'default');

const listCommand = (cli: Cli): Command =>
  withServer(new Command('list').description('List documents with their states.'))
    .option('-c, --collection <name>', 'of this collection; default: of all')
    .addOption(new Option('--state <state>', 'whose newest version is in this state').choices(states))
    .option('--source <uri>', 'with this source')
    .option('--tag <tag>', 'with this tag')
    .option('-n, --limit <count>', 'how many at most', wholeNumber(1, 1_000_000), 100)
    .action(async (options: ListOptions) => {
      const output = outputOf(cli, options);
      const selection: DocumentSelection = {
        limit: Math.min(options.limit, 500),
        ...(options.collection === undefined ? {} : { collection: options.collection }),
        ...(options.state === undefined ? {} : { state: options.state }),
        ...(options.source === undefined ? {} : { source: options.source }),
        ...(options.tag === undefined ? {} : { tag: options.tag }),
      };
      await withClient(options, async (client) => {
        const documents: Document[] = [];
        let more = false;
        for await (const document of client.listDocuments(selection, { signal: cli.signal })) {
          more = documents.length === options.limit;
          if (more) break;
          documents.push(document);
        }
        output.result({ documents, more });
        if (documents.length === 0) {
          output.line('No documents.');
          return;
        }
        output.line(
          table(
            ['state', 'chunks', 'size', 'collection', 'document'],
            documents.map((each) => row(each, cli)),
          ),
        );
        for (const failed of documents.filter((each) => each.newest?.state === 'failed')) {
          output.line(
            output.out.red(`\n${nameOf(failedName(failed), cli.cwd)}: ${safeLine(failed.newest?.reason ?? '')}`),
          );
        }
        if (more) output.line(output.out.dim('\nand more: give --limit'));
      });
    });

const failedName = (document: Document) => ({ ...document, source: document.source ?? '' });

const row = (document: Document, cli: Cli): string[] => [
  document.state,
  count(document.live?.chunk_count ?? 0),
  bytes(document.newest?.size_bytes ?? 0),
  document.collection,
  nameOf({ ...document, source: document.source ?? '' }, cli.cwd),
];

const showCommand = (cli: Cli): Command =>
  one(new Command('show').description('Show one document.').argument('<document-id>')).action(
    async (documentId: string, options: OneOptions) => {
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        const document = await client.getDocument(options.collection, documentId, { signal: cli.signal });
        output.result(document);
        const newest = document.newest;
        const facts: [string, string | null | undefined][] = [
          ['document', safeLine(document.document_id)],
          ['collection', document.collection],
          ['state', document.state],
          ['source', document.source],
          ['title', document.title],
          ['version', newest === null ? undefined : String(newest.version)],
          ['answers with version', document.live === null ? 'none' : String(document.live.version)],
          ['type', newest?.content_type],
          ['size', newest === null ? undefined : bytes(newest.size_bytes)],
          ['chunks', newest?.chunk_count === null ? undefined : newest?.chunk_count.toString()],
          ['tags', newest?.tags.join(', ')],
          ['metadata', newest === null ? undefined : JSON.stringify(newest.metadata)],
          ['file time', newest?.file_time],
          ['updated', document.updated_at],
          ['failed at', newest?.stage],
          ['reason', newest?.reason],
        ];
        for (const [name, value] of facts) {
          if (value !== null && value !== undefined && value !== '') {
            output.line(`${output.out.dim(name.padEnd(22))}${safeLine(value)}`);
          }
        }
      });
    },
  );

const textCommand = (cli: Cli): Command =>
  one(new Command('text').description('Print the decoded text of a document.').argument('<document-id>')).action(
    async (documentId: string, options: OneOptions) => {
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        const decoder = new TextDecoder();
        let whole = '';
        for await (const piece of await client.documentText(options.collection, documentId, { signal: cli.signal })) {
          const text = decoder.decode(piece as Uint8Array, { stream: true });
          if (output.json) whole += text;
          else output.write(output.out.interactive ? safeText(text) : text);
        }
        output.result({ document_id: documentId, collection: options.collection, text: whole + decoder.decode() });
      });
    },
  );

const deleteCommand = (cli: Cli): Command =>
  one(
    new Command('delete')
      .description('Delete documents with their chunks and vectors. One that is not there is no error.')
      .argument('<document-id...>'),
  ).action(async (documentIds: string[], options: OneOptions) => {
    const output = outputOf(cli, options);
    await withClient(options, async (client) => {
      const deleted: string[] = [];
      const failed: { document_id: string; code: string; reason: string }[] = [];
      for (const documentId of documentIds) {
        const submitted = await client.deleteDocument(options.collection, documentId, { signal: cli.signal });
        const operation = await client.waitForOperation(submitted.operation_id, { signal: cli.signal });
        if (operation.state === 'failed' || operation.state === 'refused') {
          failed.push({
            document_id: documentId,
            code: operation.code ?? 'internal',
            reason: operation.reason ?? 'it was refused',
          });
          output.note(`${safeLine(documentId)} was not deleted: ${safeLine(operation.reason ?? '')}`);
        } else {
          deleted.push(documentId);
          output.line(`deleted ${safeLine(documentId)}`);
        }
      }
      output.result({ deleted, failed });
      if (failed.length > 0) cli.exitCode = exitCodes.failed;
    });
  });
