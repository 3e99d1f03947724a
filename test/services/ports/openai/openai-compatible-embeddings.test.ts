import { afterEach, describe, expect, it } from 'vitest';
import { embedTexts } from '../../../../services/embedder/embed-texts.js';
import { createOpenAiEmbeddingModel } from '../../../../services/ports/embedding-model/openai-compatible/openai.js';
import type { EmbeddingModel } from '../../../../services/ports/embedding-model/port.js';
import { freePort } from '../../../stack/native-server.js';
import { json, refuse, startFaultyServer, type Answer, type Call, type FaultyServer } from './faulty-server.js';
import { embeddingSettings } from './settings.js';

let server: FaultyServer;
afterEach(() => server.close());

async function modelOn(answer: Answer, settings: Readonly<Record<string, unknown>> = {}): Promise<EmbeddingModel> {
  server = await startFaultyServer(answer);
  return createOpenAiEmbeddingModel(embeddingSettings('fast', { baseUrl: server.url, ...settings }));
}

const inputOf = ({ body }: Call): readonly string[] => body['input'] as string[];

/** One vector per text: its length, its last character, 1. */
const vectorFor = (text: string): number[] => [text.length, text.charCodeAt(text.length - 1), 1];
const base64 = (numbers: readonly number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

const answerAll: Answer = (call, response) => {
  const write = call.body['encoding_format'] === 'base64' ? base64 : (numbers: readonly number[]) => numbers;
  const data = inputOf(call).map((text, index) => ({ index, embedding: write(vectorFor(text)) }));
  json(response, 200, { data });
};

const unit = (numbers: readonly number[]): number[] => numbers.map((value) => value / Math.hypot(...numbers));
const expectVector = (vector: Float32Array | undefined, numbers: readonly number[]): void => {
  unit(numbers).forEach((value, at) => expect(vector?.[at]).toBeCloseTo(value, 5));
};

describe('an OpenAI-compatible embedding model', () => {
  it('sends what is configured, and nothing of the environment', async () => {
    process.env['OPENAI_API_KEY'] = 'of another server';
    process.env['OPENAI_ORG_ID'] = 'another';
    const model = await modelOn(answerAll, {
      ...{ model: 'docs', queryModel: 'questions', queryPrefix: 'Q: ', passagePrefix: 'P: ' },
      requestDimensions: true,
    });
    expectVector((await model.embedPassages(['one']))[0]?.vector, vectorFor('P: one'));
    expectVector(await model.embedQuery('two'), vectorFor('Q: two'));
    expect(server.calls.map(({ body }) => body)).toEqual([
      { model: 'docs', input: ['P: one'], encoding_format: 'base64', dimensions: 3 },
      { model: 'questions', input: ['Q: two'], encoding_format: 'base64', dimensions: 3 },
    ]);
    expect(server.calls[0]?.headers).not.toHaveProperty('authorization');
    expect(server.calls[0]?.headers).not.toHaveProperty('openai-organization');
    delete process.env['OPENAI_API_KEY'];
    delete process.env['OPENAI_ORG_ID'];
  });

  it('sends its key', async () => {
    const model = await modelOn(answerAll, { apiKey: 'secret' });
    await model.embedQuery('x');
    expect(server.calls[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('cuts calls by texts and by tokens', async () => {
    const model = await modelOn(answerAll, { maxBatchTexts: 3, maxBatchTokens: 20, tokenRatio: 1 });
    const long = Array(16).fill('word').join(' ');
    const texts = ['a', 'b', 'c', 'd', long, long, long];
    const passages = await model.embedPassages(texts);
    expect(server.calls.map((call) => inputOf(call).length)).toEqual([3, 2, 1, 1]);
    passages.forEach(({ vector }, index) => expectVector(vector, vectorFor(texts[index] ?? '')));
  });

  it('embeds a long text in windows that together are the text, and counts them', async () => {
    const model = await modelOn(answerAll, { maxTokens: 10, tokenRatio: 1, passagePrefix: 'P: ' });
    const text = Array.from({ length: 40 }, (_, index) => `word${index % 10}`).join(' ');
    const [passage] = await model.embedPassages([text]);
    const sent = server.calls.flatMap(inputOf);
    expect(passage?.windows).toBe(sent.length);
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.map((window) => window.replace(/^P: /, '')).join('')).toBe(text);
    expect(Math.hypot(...(passage?.vector ?? []))).toBeCloseTo(1, 5);
  });

  it('sends no text of white space alone', async () => {
    const model = await modelOn(answerAll);
    const [blank, full] = await model.embedPassages([' \n', 'x']);
    expect([...(blank?.vector ?? [])]).toEqual([0, 0, 0]);
    expectVector(full?.vector, vectorFor('x'));
    expect(server.calls.map(inputOf)).toEqual([['x']]);
  });

  it('takes lists of numbers from a server that will not write base64, and asks for them from then on', async () => {
    const model = await modelOn((call, response) => {
      if (call.body['encoding_format'] === 'float') return answerAll(call, response);
      refuse(response, 422, { message: 'unknown variant `base64`' });
    });
    for (const text of ['one', 'two']) expectVector(await model.embedQuery(text), vectorFor(text));
    expect(server.calls.map(({ body }) => body['encoding_format'])).toEqual(['base64', 'float', 'float']);
  });

  it('puts vectors in the order of the texts', async () => {
    const model = await modelOn((call, response) => {
      const data = inputOf(call).map((text, index) => ({ index, embedding: vectorFor(text) }));
      json(response, 200, { data: data.reverse() });
    });
    const passages = await model.embedPassages(['a', 'bb', 'ccc']);
    passages.forEach(({ vector }, index) => expectVector(vector, vectorFor('abc'.charAt(index).repeat(index + 1))));
  });

  it.each([
    ['too few vectors', [{ index: 0, embedding: [1, 2, 3] }]],
    ['one text answered twice', [0, 0].map((index) => ({ index, embedding: [1, 2, 3] }))],
    ['another width', [0, 1].map((index) => ({ index, embedding: [1, 2] }))],
    ['null for NaN', [0, 1].map((index) => ({ index, embedding: [1, null, 3] }))],
    ['NaN in base64', [0, 1].map((index) => ({ index, embedding: base64([1, NaN, 3]) }))],
    ['broken base64', [0, 1].map((index) => ({ index, embedding: 'AAA=' }))],
    ['no vectors', [{ index: 0 }, { index: 1 }]],
    ['no list', undefined],
  ])('refuses an answer with %s', async (_, data) => {
    const model = await modelOn((_call, response) => json(response, 200, { data }));
    await expect(model.embedPassages(['a', 'b'])).rejects.toMatchObject({ code: 'invalid-response' });
  });

  it('refuses an answer that is no JSON, and one that is a page', async () => {
    const types = ['application/json', 'text/html'];
    const model = await modelOn((_call, response) => {
      response.writeHead(200, { 'content-type': types.shift() }).end('<html>');
    });
    await expect(model.embedQuery('a')).rejects.toMatchObject({ code: 'invalid-response' });
    await expect(model.embedQuery('a')).rejects.toMatchObject({ code: 'invalid-response' });
  });

  it('leaves the one text that the server refuses alone', async () => {
    const model = await modelOn((call, response) => {
      if (!inputOf(call).includes('bad')) return answerAll(call, response);
      refuse(response, 400, { message: 'the input has a forbidden token', param: 'input' });
    });
    const texts = ['a', 'b', 'c', 'bad', 'd', 'e', 'f'];
    const embedded = await embedTexts(model, texts, new AbortController().signal);
    expect(embedded.map((result) => 'vector' in result)).toEqual(texts.map((text) => text !== 'bad'));
    expect(embedded[3]).toMatchObject({
      error: { code: 'invalid-argument', message: expect.stringContaining('forbidden token') as unknown },
    });
  });

  it.each([
    [429, { message: 'slow down' }, { 'retry-after': '7' }, 7000, 'too many requests'],
    [429, { message: 'slow down' }, { 'retry-after-ms': '250', 'retry-after': '1' }, 250, 'too many requests'],
    [429, { message: 'pay', code: 'insufficient_quota' }, {}, undefined, 'quota'],
    [402, { message: 'pay' }, {}, undefined, 'quota'],
    [401, { message: 'who?' }, {}, undefined, 'apiKey'],
    [403, { message: 'no' }, {}, undefined, 'apiKey'],
    [404, { message: 'no such model' }, {}, undefined, 'baseUrl'],
    [400, { message: 'no such model', code: 'model_not_found' }, {}, undefined, 'check baseUrl, model'],
    [400, { message: 'cannot be shortened', param: 'dimensions' }, {}, undefined, 'dimensions'],
    [500, { message: 'oh' }, {}, undefined, '500'],
    [503, { message: 'loading' }, { 'retry-after': '3' }, 3000, '503'],
  ])('is unavailable after %i %o', async (status, error, headers, retryAfterMs, words) => {
    const model = await modelOn((_call, response) => refuse(response, status, error, headers));
    const failure: unknown = await model.embedQuery('x').catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(words) as unknown,
      options: retryAfterMs === undefined ? {} : { retryAfterMs },
    });
    expect(server.calls).toHaveLength(1); // the runtime tries again, nobody else
  });

  it('gives up a server that hangs before its answer or in its midst', async () => {
    let begins = false;
    const model = await modelOn(
      (_call, response) => {
        if (begins) response.writeHead(200, { 'content-type': 'application/json' }).write('{"data": [');
        begins = true;
      },
      { timeoutMs: 100 },
    );
    for (let time = 0; time < 2; time++) {
      await expect(model.embedQuery('x')).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('nothing came for 100 ms') as unknown,
      });
    }
  });

  it('is unavailable when the connection is cut or refused', async () => {
    const model = await modelOn((_call, response) => void response.socket?.destroy());
    await expect(model.embedQuery('x')).rejects.toMatchObject({ code: 'unavailable' });
    const nobody = createOpenAiEmbeddingModel(
      embeddingSettings('fast', { baseUrl: `http://127.0.0.1:${await freePort()}/v1` }),
    );
    await expect(nobody.embedQuery('x')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED') as unknown,
    });
  });

  it('closes the connection of a call that is no longer wanted', async () => {
    const leaving = new AbortController();
    const model = await modelOn(() => leaving.abort(new Error('enough')));
    await expect(model.embedQuery('x', leaving.signal)).rejects.toThrow('enough');
    await expect.poll(() => server.left(), { timeout: 1000 }).toBe(1);
  });

  it('is a space of what makes its vectors, wherever it stands and whatever it is called', async () => {
    const spaceOf = (name: string, given: Readonly<Record<string, unknown>>): string =>
      createOpenAiEmbeddingModel(embeddingSettings(name, { baseUrl: 'http://a/v1', ...given })).space.id;
    await modelOn(answerAll);
    const space = spaceOf('fast', {});
    expect(spaceOf('other', { baseUrl: 'http://b/v1', apiKey: 'k', maxBatchTexts: 2 })).toBe(space);
    const others = [
      { model: 'n' },
      { queryModel: 'n' },
      { dimensions: 4 },
      { queryPrefix: 'q' },
      { passagePrefix: 'q' },
      { revision: '2' },
      { spaceId: 'mine' },
    ].map((given) => spaceOf('fast', given));
    expect(new Set([space, ...others]).size).toBe(8);
    expect(others.at(-1)).toBe('mine');
  });

  it('refuses a prefix that leaves no room', async () => {
    await modelOn(answerAll);
    const settings = embeddingSettings('fast', {
      ...{ baseUrl: server.url, maxTokens: 8 },
      passagePrefix: 'Represent this sentence for searching relevant passages: ',
    });
    expect(() => createOpenAiEmbeddingModel(settings)).toThrow('no room behind the prefix');
  });
});
