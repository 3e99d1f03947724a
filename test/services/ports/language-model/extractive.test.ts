import { describe, expect, it, vi } from 'vitest';
import { createExtractiveModel } from '../../../../services/ports/language-model/extractive/extractive.js';
import type { Passage } from '../../../../services/ports/language-model/port.js';
import { wordCounting } from '../../document-rag/word-counting.js';

const passage = (marker: number, text: string, headingPath: string[] = []): Passage => ({
  ...{ marker, text, headingPath, source: 'a.md' },
});

async function answer(
  question: string,
  passages: readonly Passage[],
  options: Partial<Parameters<typeof createExtractiveModel>[0]> = {},
): Promise<{ text: string; found: boolean }> {
  const model = createExtractiveModel({ embeddingModel: wordCounting(), ...options });
  let text = '';
  for await (const part of model.generate({ system: '', prompt: '', question, passages })) {
    if (part.kind === 'end') return { text, found: part.found };
    text += part.text;
  }
  throw new Error('no end');
}

describe('the extractive model', () => {
  it('says in its name what it is', () => {
    expect(createExtractiveModel({ embeddingModel: wordCounting() }).name).toBe('extractive (words)');
  });

  it('answers with the sentences nearest to the question, each with its marker, on a line of its own', async () => {
    const passages = [
      passage(1, '# The mill\n\nIt is old. The mill was built by\nthe river in 1764. Cows graze there.'),
      passage(2, 'The river mill was built with stones. The weather is mild.'),
    ];
    expect(await answer('When was the river mill built?', passages)).toEqual({
      text: 'The mill was built by the river in 1764. [1]\nThe river mill was built with stones. [2]',
      found: true,
    });
  });

  it('gives a sentence that two passages hold once, from the better one', async () => {
    const passages = [passage(1, 'The mill turns.'), passage(2, 'The mill turns.')];
    expect((await answer('Does the mill turn?', passages)).text).toBe('The mill turns. [1]');
  });

  it('reads headings beside the sentences under them', async () => {
    const passages = [
      passage(1, 'The default is 30 seconds.', ['Colours']),
      passage(2, 'The default is 15 seconds.', ['Timeouts']),
    ];
    const { text } = await answer('What is the default timeout?', passages, { maxSentences: 1 });
    expect(text).toBe('The default is 15 seconds. [2]');
  });

  it('keeps the brackets of a sentence from being citations', async () => {
    expect(
      (await answer('How does the mill turn?', [passage(1, 'The mill does turn [2] by water [see 3].')])).text,
    ).toBe('The mill does turn \\[2] by water [see 3]. [1]');
  });

  it('says so when nothing answers', async () => {
    const nothing = { text: 'Not found in the collection.', found: false };
    expect(await answer('Who wrote the opera?', [passage(1, 'The mill turns.')])).toEqual(nothing);
    expect(await answer('Who wrote the opera?', [])).toEqual(nothing);
    expect(await answer('What is it?', [passage(1, '```\ncode\n```')])).toEqual(nothing);
    expect((await answer('x', [], { notFoundText: 'Nichts gefunden.' })).text).toBe('Nichts gefunden.');
  });

  it('embeds the sentences that share most words, at most 48, in batches that the model likes', async () => {
    const embeddingModel = wordCounting();
    const embed = vi.spyOn(embeddingModel, 'embedPassages');
    const text = Array.from({ length: 200 }, (_, i) => `Sentence ${i} has a ${i % 4 === 0 ? 'mill' : 'cow'}.`).join(
      ' ',
    );
    await answer('Where is the mill?', [passage(1, text)], { embeddingModel });
    const batches = embed.mock.calls.map(([texts]) => texts);
    expect(batches.map(({ length }) => length)).toEqual([16, 16, 16]);
    expect(batches.flat().every((sentence) => sentence.includes('mill'))).toBe(true);
  });
});
