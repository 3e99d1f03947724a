import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GenerationPart, GenerationRequest, LanguageModel } from '../../services/ports/language-model/port.js';

const passages = [
  { marker: 1, text: 'The tower is 81 metres high.', headingPath: ['Tower'], source: 'file:///tower.md' },
  { marker: 2, text: 'The mill by the river was built in 1764.', headingPath: [], source: 'file:///mill.md' },
];

const request = (rest: Partial<GenerationRequest> = {}): GenerationRequest => ({
  ...{ system: 'Answer from the passages.', prompt: 'In what year was the mill built?' },
  ...{ question: 'In what year was the mill built?', passages },
  ...rest,
});

async function partsOf(stream: AsyncIterable<GenerationPart>): Promise<GenerationPart[]> {
  const parts: GenerationPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** What every language model must do, whatever answers behind it. */
export function describeLanguageModelContract(name: string, makeModel: () => Promise<LanguageModel>): void {
  describe(`language model: ${name}`, () => {
    let model: LanguageModel;
    beforeEach(async () => {
      model = await makeModel();
    });
    afterEach(async () => {
      await model.close();
    });

    it('has a name and a window', () => {
      expect(model.name).not.toBe('');
      expect(model.contextWindow).toBeGreaterThan(0);
    });

    it('answers in parts, with exactly one end, last', async () => {
      const parts = await partsOf(model.generate(request()));
      expect(parts.filter(({ kind }) => kind === 'end')).toHaveLength(1);
      expect(parts.at(-1)).toMatchObject({ kind: 'end', found: true });
      const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
      expect(text.trim()).not.toBe('');
    });

    it('says why it stopped and what it took', async () => {
      const end = (await partsOf(model.generate(request()))).at(-1);
      if (end?.kind !== 'end') throw new Error('no end');
      expect(end.finishReason).not.toBe('');
      expect(end.inputTokens).toBeGreaterThan(0);
      expect(end.outputTokens).toBeGreaterThan(0);
    });

    it('generates nothing for an asker who has left already', async () => {
      const left = AbortSignal.abort(new Error('the asker left'));
      await expect(partsOf(model.generate(request({ signal: left })))).rejects.toThrow('the asker left');
    });

    it('stops when the asker leaves', async () => {
      const asker = new AbortController();
      const stream = model.generate(request({ signal: asker.signal }))[Symbol.asyncIterator]();
      expect((await stream.next()).value).toMatchObject({ kind: 'text' });
      asker.abort(new Error('the asker left'));
      await expect(stream.next()).rejects.toThrow('the asker left');
    });

    it('answers many at once, each by itself', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => partsOf(model.generate(request()))));
      for (const parts of answers) expect(parts.at(-1)?.kind).toBe('end');
    });

    it('counts tokens, and what looks like a special one as text', () => {
      expect(model.countTokens('')).toBe(0);
      expect(model.countTokens('one two three')).toBeGreaterThan(1);
      expect(model.countTokens('<|endoftext|>')).toBeGreaterThan(1);
    });
  });
}
