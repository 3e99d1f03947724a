import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { SluiceApi } from '../../gateway/client/client.js';
import { systemReason } from '../system-reason.js';
import { UsageError } from '../usage-error.js';
import type { CorpusQuestions } from './evaluate.js';
import { parseQuestions } from './questions.js';

export interface Corpus extends CorpusQuestions {
  readonly path: string;
  readonly text: string;
}

/** Reads corpora and their questions, pair by pair. Throws UsageError that names the file. */
export async function readCorpora(corpora: readonly string[], questions: readonly string[]): Promise<Corpus[]> {
  if (corpora.length === 0 || corpora.length !== questions.length) {
    throw new UsageError(
      `each --corpus needs its --questions: there are ${corpora.length} and ${questions.length}; ` +
        'write --corpus A.md --questions A.questions.jsonl, and again for each pair',
    );
  }
  const read: Corpus[] = [];
  for (const [index, path] of corpora.entries()) {
    const corpusText = await readUtf8(path);
    const questionsPath = questions[index] ?? '';
    const name = basename(path, extname(path));
    const taken = read.filter((one) => one.corpus === name || one.corpus.startsWith(`${name} (`)).length;
    read.push({
      path,
      text: corpusText,
      corpus: taken === 0 ? name : `${name} (${taken + 1})`,
      documentId: `${index + 1}-${name}`,
      questions: parseQuestions(questionsPath, await readUtf8(questionsPath), Array.from(corpusText)),
    });
  }
  return read;
}

async function readUtf8(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new UsageError(`cannot read "${path}": ${systemReason(error)}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`"${path}" is not UTF-8: the offsets of its questions would mean nothing`);
  }
}

/** Loads one corpus and makes sure that its decoded text is the file's: offsets of questions then fit chunks. */
export async function loadCorpus(
  client: SluiceApi,
  collection: string,
  corpus: Corpus,
  signal: AbortSignal,
): Promise<number> {
  const operation = await client.ingestDocument(
    {
      collection,
      document_id: corpus.documentId,
      body: { file: corpus.path },
      content_type: extname(corpus.path) === '.txt' ? 'text/plain' : 'text/markdown',
    },
    { signal },
  );
  if (operation.state !== 'ready') {
    throw new Error(`"${corpus.path}" could not be loaded: ${operation.reason ?? operation.state}`);
  }
  const decoded = await text(await client.documentText(collection, corpus.documentId, { signal }));
  if (decoded !== corpus.text) {
    throw new Error(
      `the text decoded from "${corpus.path}" differs from the file from character ${firstDifference(decoded, corpus.text)} on, so ` +
        'the offsets of its questions do not fit: front matter, CRLF line ends and control characters must not be in it',
    );
  }
  return operation.chunk_count ?? 0;
}

function firstDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index++;
  return index;
}
