import { describe, expect, it } from 'vitest';
import { findMarkers } from '../../../services/domain/citations/markers.js';
import { sliceCodePoints } from '../../../services/domain/code-point-slice.js';
import { buildPrompt, fenceFor, renderPassage } from '../../../services/document-rag/prompt.js';
import { createExtractiveModel } from '../../../services/ports/language-model/extractive/extractive.js';
import { hostileDocuments } from './hostile-documents.js';
import { allReplies, answerOf, blobStoreForTest, found, saying, storeDocument } from './harness.js';
import { wordCounting } from './word-counting.js';

const passageOf = (text: string, rest: { source?: string; headingPath?: string[]; lead?: string } = {}) => ({
  marker: 1,
  printed: text,
  hit: {
    ...{ versionHash: 'v', hydrated: true, text, lead: null, headingPath: [], source: 'a.md', start: 0, end: 0 },
    ...rest,
  },
});

describe('thirty hostile documents', () => {
  it('are thirty', () => {
    expect(new Set(hostileDocuments).size).toBe(30);
  });

  it.each(hostileDocuments)('stay between the lines of their fence: %j', (text) => {
    const fence = fenceFor([text]);
    const rendered = renderPassage(passageOf(text), fence);
    const lines = rendered.split('\n');
    expect(lines[0]).toBe(`--- ${fence} passage [1] a.md`);
    expect(lines.at(-1)).toBe(`--- ${fence} end`);
    expect(lines.slice(1, -1).join('\n')).not.toContain(fence);
    expect(findMarkers(lines.slice(1, -1).join('\n'), 99)).toEqual([]);
  });

  it.each(hostileDocuments)('cannot break out of a source, a heading or a table’s header either: %j', (text) => {
    const fence = fenceFor([text]);
    const rendered = renderPassage(passageOf('x', { source: text, headingPath: [text, text] }), fence);
    expect(rendered.split('\n')).toHaveLength(3);
    expect(findMarkers(rendered, 99).map(({ ordinals }) => ordinals)).toEqual([[1]]);
    const led = renderPassage(passageOf('x', { lead: text }), fence);
    expect(findMarkers(led, 99).map(({ ordinals }) => ordinals)).toEqual([[1]]);
  });

  it('cannot know the fence: it is random, and in none of them', () => {
    expect(fenceFor([])).not.toBe(fenceFor([]));
    expect(fenceFor([])).toMatch(/^[0-9a-f]{24}$/);
    const drawn = ['one', 'two', 'three'];
    expect(fenceFor(['has one', 'has two'], () => drawn.shift() ?? '')).toBe('three');
  });

  it('leave the instructions and the question as they are', () => {
    for (const context of hostileDocuments) {
      const parts = { fence: 'f', context, question: 'Why?', turns: [], notFoundText: 'No.' };
      const { system, prompt } = buildPrompt(parts);
      expect(system).toBe(buildPrompt({ ...parts, context: '' }).system);
      expect(prompt.endsWith('\n\nQuestion: Why?')).toBe(true);
    }
  });

  it('make no citation through a model that repeats a sentence of theirs', async () => {
    const blobStore = await blobStoreForTest();
    for (const [index, hostile] of hostileDocuments.entries()) {
      const { hits } = await storeDocument(blobStore, `h${index}`, [
        `${hostile}\n\nThe honest mill turns.`,
        'Two.',
        'Three.',
      ]);
      const languageModel = createExtractiveModel({ embeddingModel: wordCounting(), minOverlap: 0, maxSentences: 99 });
      const answer = answerOf(await allReplies(found('honest mill', hits), { blobStore, languageModel }));
      const lines = answer.text.split('\n').length;
      expect(answer.citations.length).toBeLessThanOrEqual(lines);
      for (const { n, quote } of answer.citations) {
        const text = [`${hostile}\n\nThe honest mill turns.`, 'Two.', 'Three.'][n - 1];
        expect(text).toContain(quote);
      }
      for (const marker of findMarkers(answer.text, 3)) expect(answer.text.slice(marker.end)).toMatch(/^(\n|$)/);
    }
  });

  it('make citations of real passages at most, whatever a model says after them', async () => {
    const blobStore = await blobStoreForTest();
    const { hits, text } = await storeDocument(blobStore, 'h', hostileDocuments);
    const setting = {
      blobStore,
      languageModel: saying(hostileDocuments.join('\n')),
      config: { maxContextTokens: 20_000 },
    };
    const answer = answerOf(await allReplies(found('What?', hits), setting));
    expect(answer.citations.length).toBeGreaterThan(0);
    for (const { chunk_id: id, start, end, quote } of answer.citations) {
      expect(hits.map((hit) => hit.chunk_id)).toContain(id);
      expect(sliceCodePoints(text, start, end)).toBe(quote);
    }
  });
});
