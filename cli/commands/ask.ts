import { Command } from 'commander';
import type { AskRequest, AskResult, SluiceApi } from '../../gateway/client/client.js';
import { textOf, wholeNumber } from '../arguments.js';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { answerWriter, printSources } from '../output/answer.js';
import { retrievalOf, withRetrieval, type RetrievalOptions } from './retrieval-options.js';

interface AskOptions extends ServerOptions, RetrievalOptions {
  readonly maxContextTokens?: number;
  readonly flow?: string;
}

export const askCommand = (cli: Cli): Command =>
  withServer(
    withRetrieval(
      new Command('ask').description('Answer a question from the documents, with sources.').argument('<question...>'),
    ),
  )
    .option(
      '--max-context-tokens <count>',
      'how much text the model is given; default 4096',
      wholeNumber(1, 10_000_000),
    )
    .option('--flow <name>', 'the flow that answers; default: "default"')
    .action(async (words: string[], options: AskOptions) => {
      const output = outputOf(cli, options);
      const request: AskRequest = {
        question: textOf(words, 'question'),
        ...retrievalOf(options),
        ...(options.maxContextTokens === undefined ? {} : { max_context_tokens: options.maxContextTokens }),
        ...(options.flow === undefined ? {} : { flow: options.flow }),
      };
      await withClient(options, async (client) => {
        const writer = answerWriter(output);
        const result = await streamed(client, request, writer.write, cli.signal);
        writer.end();
        printSources(output, result, cli.cwd);
        output.result(answerShape(result));
      });
    });

/** Asks, hands on each piece of the answer as it comes, and gives the whole. */
export async function streamed(
  client: SluiceApi,
  request: AskRequest,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<AskResult> {
  for await (const part of client.ask(request, { signal })) {
    if (part.kind === 'end') return part.result;
    onText(part.text);
  }
  throw new Error('the answer ended without its end: ask again');
}

/** The documented shape of an answer in JSON. */
export const answerShape = (result: AskResult) => ({
  answer: result.answer,
  citations: result.citations.map((citation) => ({
    n: citation.n,
    chunk_id: citation.chunk_id,
    document_id: citation.document_id,
    collection: citation.collection,
    source: citation.source,
    seq: citation.seq,
    heading_path: citation.heading_path,
    start: citation.start,
    end: citation.end,
    quote: citation.quote,
  })),
  model: result.model,
  usage: result.usage,
});
