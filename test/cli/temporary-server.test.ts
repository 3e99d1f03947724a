import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metricNames } from '../../cli/eval/metrics.js';
import { sluice } from './sluice-process.js';

/** eval and quickstart bring a server of their own, and leave nothing behind. */
describe('commands with a temporary server', { timeout: 240_000 }, () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'cli-temporary-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  // Their data goes below the test's own folder.
  const run = (...args: string[]) => sluice(args, { cwd: root, env: { TMPDIR: root } });

  const topics = ['barometers', 'sextants', 'telescopes', 'chronometers', 'astrolabes', 'quadrants'];
  const sentences = topics.map((topic) => `The 🎈 keeper of room ${topic.length} collects ${topic} of brass.`);
  const corpus = sentences.map((sentence) => `${sentence} ${'Nothing else is kept there. '.repeat(12)}\n\n`).join('');

  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(root, name), text);
    return join(root, name);
  };
  const questions = (text: string): string => {
    const characters = Array.from(text);
    return sentences
      .map((sentence, index) => {
        // Offsets are code points: the balloon is one.
        const start = Array.from(text.slice(0, text.indexOf(sentence))).length;
        const end = start + Array.from(sentence).length;
        const reference = { text: characters.slice(start, end).join(''), start, end };
        return JSON.stringify({
          id: `q-${index}`,
          question: `Who collects ${topics[index]}?`,
          references: [reference],
        });
      })
      .join('\n');
  };

  it('measure retrieval with offsets of the corpus as it is on disk', async () => {
    const file = await write('instruments.md', corpus);
    const asked = await write('instruments.jsonl', questions(corpus));
    const args = ['eval', '--corpus', file, '--questions', asked, '--chunk-size', '100', '--json'];
    const measured = await run(...args);
    expect(measured.stderr).toBe('');
    const result = measured.json() as Record<string, Record<string, unknown>>;
    expect(Object.keys(result)).toEqual([
      ...['embedding', 'chunker', 'chunks', 'questions', 'semantic', 'lexical', 'fusion', 'corpora'],
      ...['fusion_vs_lexical', 'seconds'],
    ]);
    expect(result).toMatchObject({ questions: 6, chunker: { size: 100, overlap: 12 } });
    for (const list of ['semantic', 'lexical', 'fusion']) expect(Object.keys(result[list] ?? {})).toEqual(metricNames);
    expect(result['lexical']).toMatchObject({ hit_rate_at_5: 1, char_recall_at_5: 1, mrr_at_10: 1 });
    expect(result['corpora']).toMatchObject({ instruments: { questions: 6, fusion: { hit_rate_at_5: 1 } } });
    expect((await readdir(root)).filter((name) => name.startsWith('sluice-'))).toEqual([]);
  });

  it('refuse a corpus that is not what its decoded text is', async () => {
    const text = `---\ntitle: Rooms\n---\n${corpus}`;
    const file = await write('front-matter.md', text);
    const asked = await write('front-matter.jsonl', questions(text));
    const refused = await run('eval', '--corpus', file, '--questions', asked, '--json');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/error: the text decoded from ".*front-matter\.md" differs from the file/u);
  });

  it('show the whole way in the quickstart', async () => {
    const shown = await run('quickstart', '--json');
    const result = shown.json() as {
      load: object;
      answers: { answer: string; citations: unknown[] }[];
      search: object;
    };
    expect(shown.exitCode).toBe(0);
    expect(result.load).toMatchObject({ changed: 0, failed: [] });
    expect(result.answers).toHaveLength(3);
    expect(result.answers[0]?.answer).toContain('Fastify v5 will only support Node.js v20+');
    for (const { citations } of result.answers) expect(citations).not.toEqual([]);
    expect(result.search).toMatchObject({ hits: [{ explain: { lexical: { rank: 1 } } }, {}, {}] });
    expect((await readdir(root)).filter((name) => name.startsWith('sluice-'))).toEqual([]);
  });
});
