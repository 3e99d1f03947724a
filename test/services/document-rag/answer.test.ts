import { describe, expect, it, vi } from 'vitest';
import type { Reply } from '../../../schema/generated.js';
import { SluiceError } from '../../../services/domain/errors.js';
import { sliceCodePoints } from '../../../services/domain/code-point-slice.js';
import {
  allReplies,
  answerOf,
  blobStoreForTest,
  end,
  found,
  hitOf,
  replies,
  saying,
  scriptedModel,
  storeDocument,
} from './harness.js';

const question = 'Which mill turns?';

describe('an answer', () => {
  it('comes in parts, numbered within one attempt, and exactly one end', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns all day long.']);
    const pieces = ['Document', ' summary', '.'];
    let given = 0;
    let published = 0;
    const languageModel = scriptedModel(async function* () {
      for (const text of pieces) {
        await vi.waitFor(() => {
          expect(published).toBe(given); // a model is slower than the bus
        });
        given++;
        yield { kind: 'text', text };
      }
      yield end();
    });
    const all: Reply[] = [];
    for await (const reply of replies(found(question, hits), { blobStore, languageModel })) {
      all.push(reply);
      published++;
    }
    expect(all.map(({ kind, text, index }) => [kind, text, index])).toEqual([
      ['answer-part', 'Document', 0],
      ['answer-part', ' summary', 1],
      ['answer-part', '.', 2],
      ['answer-end', null, 3],
    ]);
    expect(new Set(all.map(({ attempt }) => attempt)).size).toBe(1);
    expect(answerOf(all)).toMatchObject({
      ...{ text: 'Document summary.', found: true, model: 'scripted', finish_reason: 'stop' },
      ...{ input_tokens: 11, output_tokens: 7, included: [0], first_excluded: -1, missing_lists: [] },
    });
  });

  it('has another attempt id each time it is made', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const once = await allReplies(found(question, hits), { blobStore, languageModel: saying('x') });
    const again = await allReplies(found(question, hits), { blobStore, languageModel: saying('x') });
    expect(once[0]?.attempt).not.toBe(again[0]?.attempt);
  });

  it('joins small pieces that come at once', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const pieces = Array.from({ length: 500 }, (_, index) => `w${index} `);
    const setting = {
      blobStore,
      languageModel: saying(...pieces),
      config: { partIntervalMs: 1000, partMaxBytes: 256 },
    };
    const all = await allReplies(found(question, hits), setting);
    expect(answerOf(all).text).toBe(pieces.join(''));
    expect(all.length).toBeLessThan(20);
    const each = await allReplies(found(question, hits), { ...setting, config: { partIntervalMs: 0 } });
    expect(each.length).toBe(501);
  });

  it('carries what the model was told, and the lists that the retrieval missed', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', [
      { text: 'The old mill turns.', headingPath: ['Mills', 'Old ones'] },
    ]);
    const languageModel = saying('So [1].');
    const retrieval = found(question, hits, { missing_lists: ['vector'] });
    const answer = answerOf(await allReplies(retrieval, { blobStore, languageModel }));
    expect(answer.missing_lists).toEqual(['vector']);
    expect(languageModel.requests[0]).toMatchObject({
      question,
      passages: [
        { marker: 1, text: 'The old mill turns.', headingPath: ['Mills', 'Old ones'], source: 'file:///a.md' },
      ],
      maxOutputTokens: 1024,
    });
    expect(languageModel.requests[0]?.prompt).toMatch(
      /passage \[1\] file:\/\/\/a\.md \| Mills > Old ones\nThe old mill turns\.\n[^]*\n\nQuestion: Which mill turns\?$/,
    );
  });

  it('keeps the latest turns of the conversation, as many as fit', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const turns = [
      { role: 'user', text: 'long '.repeat(2000) },
      { role: 'user', text: 'What is old?' },
      { role: 'assistant', text: 'The mill.' },
    ];
    const continuation = JSON.stringify({ question, flow: 'default', max_context_tokens: null, turns });
    const languageModel = saying('x');
    await allReplies(found(question, hits, { continuation }), { blobStore, languageModel });
    expect(languageModel.requests[0]?.prompt).toContain(
      'The conversation so far:\nUser: What is old?\nAssistant: The mill.\n\nQuestion:',
    );
    expect(languageModel.requests[0]?.prompt).not.toContain('long');
  });

  it('without hits is a plain "not found", and costs no call', async () => {
    const blobStore = await blobStoreForTest();
    const languageModel = saying('never said');
    const all = await allReplies(found(question, []), { blobStore, languageModel });
    expect(answerOf(all)).toMatchObject({
      ...{ text: 'Not found in the collection.', found: false, citations: [], finish_reason: 'no-hits' },
    });
    expect(languageModel.requests).toEqual([]);
  });

  it('cites nothing when the model found nothing', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const languageModel = scriptedModel(async function* () {
      await Promise.resolve();
      yield { kind: 'text', text: 'Nothing, not even [1].' };
      yield end({ found: false });
    });
    const answer = answerOf(await allReplies(found(question, hits), { blobStore, languageModel }));
    expect(answer).toMatchObject({ found: false, citations: [] });
  });

  it('reports a text that is missing, and is made of the others', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const gone = hitOf('b', 'f'.repeat(64), 3);
    const orphan = { ...hitOf('', '', 0), chunk_id: 'foreign', orphaned: true };
    const languageModel = saying('It turns [1].');
    const answer = answerOf(await allReplies(found(question, [gone, orphan, ...hits]), { blobStore, languageModel }));
    expect(answer).toMatchObject({ missing_texts: [gone.chunk_id, 'foreign'], included: [2], first_excluded: 0 });
    expect(answer.citations).toMatchObject([{ n: 1, chunk_id: hits[0]?.chunk_id }]);
  });

  it('reads each pack once', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(
      blobStore,
      'a',
      Array.from({ length: 130 }, (_, index) => `Chunk number ${index}.`),
    );
    const get = vi.spyOn(blobStore, 'get');
    await allReplies(found(question, hits), { blobStore, languageModel: saying('x') });
    expect(get).toHaveBeenCalledTimes(3);
  });

  it('keeps to the budget of the question, the configuration and the model’s window', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(
      blobStore,
      'a',
      Array.from({ length: 20 }, () => 'word '.repeat(200).trim()),
    );
    const ask = async (max_context_tokens: number | null, contextWindow = 100_000) => {
      const continuation = JSON.stringify({ question, flow: 'default', max_context_tokens, turns: [] });
      const languageModel = { ...saying('x'), contextWindow };
      return answerOf(await allReplies(found(question, hits, { continuation }), { blobStore, languageModel }));
    };
    const { context_tokens: byDefault } = await ask(null);
    expect(byDefault).toBeGreaterThan(3700);
    expect(byDefault).toBeLessThanOrEqual(4096);
    expect((await ask(0)).context_tokens).toBe(byDefault);
    expect((await ask(600)).context_tokens).toBeLessThanOrEqual(600);
    expect((await ask(50)).included).toEqual([0]); // the first hit is cut
    expect((await ask(null, 2000)).context_tokens).toBeLessThan(2000 - 1024);
  });

  it('says so when question and history fill the model’s window', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const languageModel = { ...saying('x'), contextWindow: 1100 };
    const all = await allReplies(found(question, hits), { blobStore, languageModel });
    expect(all).toMatchObject([{ kind: 'error', error: { code: 'invalid-argument' } }]);
    expect(all[0]?.error?.message).toMatch(/leave no room for passages in the 1100 tokens of model scripted/);
  });
});

describe('an answer that cannot be made', () => {
  it('is the error of its retrieval', async () => {
    const blobStore = await blobStoreForTest();
    const error = { code: 'collection-not-found', message: 'workspace "acme" has no collection "x"' };
    const all = await allReplies(found(question, [], { error }), { blobStore, languageModel: saying('x') });
    expect(all).toMatchObject([{ kind: 'error', error }]);
  });

  it('is the model’s error, at once', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const languageModel = scriptedModel(() => {
      throw new SluiceError('unavailable', 'model scripted does not answer');
    });
    const all = await allReplies(found(question, hits), { blobStore, languageModel });
    expect(all).toMatchObject([{ kind: 'error', error: { code: 'unavailable' } }]);
  });

  it('ends with an error when the stream is cut upstream, never as if complete', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const cut = scriptedModel(async function* () {
      await Promise.resolve();
      yield { kind: 'text', text: 'The old' };
    });
    const broken = scriptedModel(async function* () {
      await Promise.resolve();
      yield { kind: 'text', text: 'The' };
      yield { kind: 'text', text: ' old' };
      throw new Error('socket hang up');
    });
    for (const languageModel of [cut, broken]) {
      const all = await allReplies(found(question, hits), { blobStore, languageModel });
      expect(all.at(-1)).toMatchObject({ kind: 'error', error: { code: 'answer-interrupted' } });
      expect(
        all
          .slice(0, -1)
          .map(({ text }) => text)
          .join(''),
      ).toBe('The old');
      expect(all.filter(({ kind }) => kind !== 'answer-part')).toHaveLength(1);
    }
  });

  it('is an interrupted one too when the model ends without a word and without an end', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const ended = { next: () => Promise.resolve({ done: true as const, value: undefined }) };
    const languageModel = scriptedModel(() => ({ [Symbol.asyncIterator]: () => ended }));
    const all = await allReplies(found(question, hits), { blobStore, languageModel });
    expect(all).toMatchObject([{ kind: 'error', error: { code: 'answer-interrupted' } }]);
  });

  it('is left to the runtime when nobody expected what happened', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const languageModel = scriptedModel(() => {
      throw new TypeError('x is not a function');
    });
    await expect(allReplies(found(question, hits), { blobStore, languageModel })).rejects.toThrow(TypeError);
  });

  it('stops generating when the asker leaves', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const asker = new AbortController();
    let stopped = false;
    const languageModel = scriptedModel(async function* ({ signal }) {
      yield { kind: 'text', text: 'On and on' };
      try {
        await new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        });
      } finally {
        stopped = true;
      }
    });
    const left = new Error('the asker left');
    const run = replies(found(question, hits), { blobStore, languageModel, signal: asker.signal });
    expect((await run.next()).value).toMatchObject({ text: 'On and on' });
    asker.abort(left);
    await expect(run.next()).rejects.toBe(left);
    expect(stopped).toBe(true);
  });

  it('stops even a model that does not listen', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'a', ['The old mill turns.']);
    const asker = new AbortController();
    const languageModel = scriptedModel(async function* () {
      yield { kind: 'text', text: 'On and on' };
      await new Promise(() => undefined);
    });
    const run = replies(found(question, hits), { blobStore, languageModel, signal: asker.signal });
    await run.next();
    asker.abort(new Error('the asker left'));
    await expect(run.next()).rejects.toThrow('the asker left');
  });
});

describe('citations', () => {
  it('give the exact sentence that the statement rests on', async () => {
    const blobStore = await blobStoreForTest();
    const { hits, text } = await storeDocument(blobStore, 'a', [
      { text: 'Many mills stand. The old mill turns all day long. It is 𝒃lue.', headingPath: ['Mills'], page: 3 },
      '𝒜 second chunk says that the wind blows from the west.',
    ]);
    const said =
      'The old mill turns all day long [1]. The wind comes from the west, it blows [2, 1][9]. It is 𝒃lue. [1]';
    const answer = answerOf(await allReplies(found(question, hits), { blobStore, languageModel: saying(said) }));
    expect(answer.text).toBe(said);
    expect(answer.citations.map(({ n, quote }) => [n, quote])).toEqual([
      [1, 'The old mill turns all day long.'],
      [2, '𝒜 second chunk says that the wind blows from the west.'],
      [1, 'Many mills stand. The old mill turns all day long. It is 𝒃lue.'], // nothing in it says so: the whole passage
      [1, 'It is 𝒃lue.'],
    ]);
    expect(answer.citations[0]).toMatchObject({
      ...{ chunk_id: hits[0]?.chunk_id, document_id: 'a', collection: 'handbook', source: 'file:///a.md' },
      ...{ title: 'Title of a', seq: 0, heading_path: ['Mills'], page: 3 },
    });
    expect(answer.citations[1]?.page).toBeNull();
    for (const { start, end: stop, quote } of answer.citations) expect(sliceCodePoints(text, start, stop)).toBe(quote);
  });

  it('never reach beyond the part of a passage that was read', async () => {
    const blobStore = await blobStoreForTest();
    const { hits, text } = await storeDocument(blobStore, 'a', ['word '.repeat(400).trim()]);
    const continuation = JSON.stringify({ question, flow: 'default', max_context_tokens: 80, turns: [] });
    const retrieval = found(question, hits, { continuation });
    const answer = answerOf(await allReplies(retrieval, { blobStore, languageModel: saying('Else [1].') }));
    const [citation] = answer.citations;
    expect(citation?.end).toBeLessThan(400);
    expect(sliceCodePoints(text, citation?.start ?? 0, citation?.end ?? 0)).toBe(citation?.quote);
  });
});
