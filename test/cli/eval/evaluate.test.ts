import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCorpora } from '../../../cli/eval/corpora.js';
import { summarize } from '../../../cli/eval/evaluate.js';
import { measure } from '../../../cli/eval/metrics.js';

const hit = measure([{ document: 'a', start: 0, end: 9 }], [{ document: 'a', start: 0, end: 9 }]);
const miss = measure([], [{ document: 'a', start: 0, end: 9 }]);

describe('an evaluation', () => {
  it('is a mean over all questions, beside that of each corpus and the comparison of both lists', () => {
    const good = { semantic: miss, lexical: miss, fusion: hit };
    const bad = { semantic: hit, lexical: hit, fusion: hit };
    const found = summarize(
      new Map([
        ['one', [good, good, good]],
        ['two', [bad]],
      ]),
    );
    expect(found).toMatchObject({
      questions: 4,
      semantic: { hit_rate_at_5: 0.25 },
      fusion: { hit_rate_at_5: 1 },
      corpora: { one: { questions: 3, lexical: { mrr_at_10: 0 } }, two: { questions: 1, lexical: { mrr_at_10: 1 } } },
      fusion_vs_lexical: { hit_rate_at_5: { difference: 0.75, significant: true } },
    });
  });
});

describe('corpora and their questions', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-eval-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string | Buffer): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const question = JSON.stringify({ id: 'q', question: 'What?', references: [{ text: 'b', start: 1, end: 2 }] });

  it('are read pair by pair, and two of one name are told apart', async () => {
    const corpus = await write('a.md', '\ufeffbc');
    const questions = await write('a.jsonl', question);
    const read = await readCorpora([corpus, corpus], [questions, questions]);
    expect(read.map((one) => [one.corpus, one.documentId, one.text])).toEqual([
      ['a', '1-a', '\ufeffbc'],
      ['a (2)', '2-a', '\ufeffbc'],
    ]);
  });

  it.each([
    ['a corpus without questions', async () => [[await write('a.md', 'abc')], []], /each --corpus needs/u],
    ['a file that is not there', () => Promise.resolve([['nothing.md'], ['x']]), /"nothing.md".*no such file/u],
    ['what is not UTF-8', async () => [[await write('a.md', Buffer.from([0xe9, 0x20]))], ['x']], /is not UTF-8/u],
    [
      'questions of another text',
      async () => [[await write('a.md', 'xyz')], [await write('a.jsonl', question)]],
      /is not what the corpus says there/u,
    ],
  ] as const)('refuse %s', async (_, prepare, message) => {
    const [corpora = [], questions = []] = await prepare();
    await expect(readCorpora(corpora, questions)).rejects.toThrow(message);
  });
});
