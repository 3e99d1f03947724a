import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createOpenAiLanguageModel } from '../../../../services/ports/language-model/openai-compatible/openai.js';
import type {
  GenerationPart,
  GenerationRequest,
  LanguageModel,
} from '../../../../services/ports/language-model/port.js';
import { refuse, startFaultyServer, type Answer, type FaultyServer } from './faulty-server.js';
import { languageSettings } from './settings.js';

let server: FaultyServer;
afterEach(() => server.close());

async function modelOn(answer: Answer, settings: Readonly<Record<string, unknown>> = {}): Promise<LanguageModel> {
  server = await startFaultyServer(answer);
  return createOpenAiLanguageModel(languageSettings('big', { baseUrl: server.url, model: 'm-1', ...settings }));
}

const request = (rest: Partial<GenerationRequest> = {}): GenerationRequest => ({
  ...{ system: 'Say it.', prompt: 'Question: what?', question: 'what?', passages: [], maxOutputTokens: 50 },
  ...{ notFoundText: 'Not found in the collection.', ...rest },
});

async function partsOf(stream: AsyncIterable<GenerationPart>): Promise<GenerationPart[]> {
  const parts: GenerationPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function begin(response: ServerResponse): (event: unknown) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (event) => void response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
}

const piece = (content: string | null, finish: string | null = null): unknown => ({
  choices: [{ index: 0, delta: content === null ? {} : { content }, finish_reason: finish }],
});

/** Streams an answer to its proper end. */
const answering =
  (pieces: readonly string[], { finish = 'stop', usage = true } = {}): Answer =>
  (_, response) => {
    const send = begin(response);
    send({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
    for (const text of pieces) send(piece(text));
    send(piece(null, finish));
    if (usage) send({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } });
    send('[DONE]');
    response.end();
  };

describe('an OpenAI-compatible language model', () => {
  it('streams the answer, and says why it ended and what it took', async () => {
    const model = await modelOn(answering(['It is ', 'so [1].']), { apiKey: 'secret' });
    expect(await partsOf(model.generate(request()))).toEqual([
      { kind: 'text', text: 'It is ' },
      { kind: 'text', text: 'so [1].' },
      { kind: 'end', finishReason: 'stop', inputTokens: 11, outputTokens: 7, found: true },
    ]);
    expect(model).toMatchObject({ name: 'big (m-1)', contextWindow: 8192 });
    expect(server.calls[0]?.headers.authorization).toBe('Bearer secret');
    expect(server.calls.map(({ body }) => body)).toEqual([
      {
        model: 'm-1',
        messages: [
          { role: 'system', content: 'Say it.' },
          { role: 'user', content: 'Question: what?' },
        ],
        ...{ temperature: 0, max_tokens: 50, stream: true, stream_options: { include_usage: true } },
      },
    ]);
  });

  it('counts itself where the server does not say what the answer took', async () => {
    const model = await modelOn(answering(['one two three'], { usage: false, finish: 'length' }));
    const end = (await partsOf(model.generate(request()))).at(-1);
    expect(end).toMatchObject({ finishReason: 'length', outputTokens: 3, found: true });
    expect(end).toHaveProperty('inputTokens', model.countTokens('Say it.') + model.countTokens('Question: what?'));
  });

  it.each([
    ['Not found in the collection.', false],
    ['"not found in the collection" [1]', false],
    ['', false],
    ['Not found in the collection. But the mill is old [2].', true],
    ['The collection says so [1].', true],
  ])('%j is found: %s', async (answer, found) => {
    const model = await modelOn(answering([answer]));
    expect((await partsOf(model.generate(request()))).at(-1)).toMatchObject({ found });
  });

  it('puts the instructions before the question for models without system messages', async () => {
    const model = await modelOn(answering(['yes']), { instructionsIn: 'user' });
    await partsOf(model.generate(request()));
    expect(server.calls[0]?.body['messages']).toEqual([{ role: 'user', content: 'Say it.\n\nQuestion: what?' }]);
  });

  it('learns what a server does not understand, once', async () => {
    const model = await modelOn(({ body }, response) => {
      if ('max_tokens' in body) {
        return refuse(response, 400, { message: "Use 'max_completion_tokens' instead.", param: 'max_tokens' });
      }
      if (body['temperature'] !== undefined) return refuse(response, 400, { message: 'no temperature' });
      if ('stream_options' in body) return refuse(response, 422, { message: 'stream_options: extra input' });
      return answering(['yes'], { usage: false })({ path: '', headers: {}, body }, response);
    });
    await partsOf(model.generate(request()));
    await partsOf(model.generate(request()));
    expect(server.calls).toHaveLength(5);
    expect(server.calls.at(-1)?.body).toMatchObject({ max_completion_tokens: 50 });
  });

  it.each([
    ['in the midst', [piece('It is ')]],
    ['before its first word', []],
  ])('is interrupted when the stream ends %s', async (_, events) => {
    const model = await modelOn((_call, response) => {
      const send = begin(response);
      events.forEach(send);
      send('[DONE]');
      response.end();
    });
    await expect(partsOf(model.generate(request()))).rejects.toMatchObject({ code: 'answer-interrupted' });
  });

  it('is interrupted when the connection is cut, or an error is streamed', async () => {
    let cut = false;
    const model = await modelOn((_call, response) => {
      const send = begin(response);
      send(piece('It is '));
      if (cut) setImmediate(() => response.destroy());
      else send({ error: { message: 'out of memory', type: 'server_error' } });
      cut = true;
    });
    await expect(partsOf(model.generate(request()))).rejects.toMatchObject({
      code: 'answer-interrupted',
      message: expect.stringContaining('out of memory') as unknown,
    });
    await expect(partsOf(model.generate(request()))).rejects.toMatchObject({ code: 'answer-interrupted' });
  });

  it('has the whole answer although the connection is cut before the usage', async () => {
    const model = await modelOn((_call, response) => {
      const send = begin(response);
      send(piece('It is so.'));
      send(piece(null, 'stop'));
      setTimeout(() => response.destroy(), 50);
    });
    expect((await partsOf(model.generate(request()))).at(-1)).toMatchObject({ kind: 'end', finishReason: 'stop' });
  });

  it('gives up a server that says nothing: before its answer, or in its midst', async () => {
    let begins = false;
    const model = await modelOn(
      (_call, response) => {
        if (begins) begin(response)(piece('It is '));
        begins = true;
      },
      { timeoutMs: 500 },
    );
    await expect(partsOf(model.generate(request()))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(partsOf(model.generate(request()))).rejects.toMatchObject({
      code: 'answer-interrupted',
      message: expect.stringContaining('nothing came for 500 ms') as unknown,
    });
    await expect.poll(() => server.left(), { timeout: 1000 }).toBe(2);
  });

  it('waits for a slow server as long as something comes', async () => {
    const model = await modelOn(
      async (_call, response) => {
        const send = begin(response);
        for (let index = 0; index < 6; index++) {
          await new Promise((resolve) => setTimeout(resolve, 400));
          send(piece(`${index} `));
        }
        send(piece(null, 'stop'));
        response.end();
      },
      { timeoutMs: 2000 },
    );
    expect(await partsOf(model.generate(request()))).toHaveLength(7);
  });

  it('is unavailable, with the time that the server asks for', async () => {
    const model = await modelOn((_call, response) =>
      refuse(response, 429, { message: 'slow down' }, { 'retry-after': '2' }),
    );
    await expect(partsOf(model.generate(request()))).rejects.toMatchObject({
      code: 'unavailable',
      options: { retryAfterMs: 2000 },
    });
    expect(server.calls).toHaveLength(1);
  });

  it('passes on why a server refuses a prompt', async () => {
    const model = await modelOn((_call, response) => refuse(response, 400, { message: 'context length exceeded' }));
    await expect(partsOf(model.generate(request()))).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('context length exceeded') as unknown,
    });
  });

  it('closes the connection within a second when the asker leaves, even while nothing comes', async () => {
    const model = await modelOn((_call, response) => begin(response)(piece('It is ')));
    const asker = new AbortController();
    const stream = model.generate(request({ signal: asker.signal }))[Symbol.asyncIterator]();
    expect((await stream.next()).value).toMatchObject({ kind: 'text' });
    const next = stream.next();
    const leftAt = performance.now();
    asker.abort(new Error('the asker left'));
    await expect(next).rejects.toThrow('the asker left');
    await expect.poll(() => server.left(), { timeout: 1000, interval: 10 }).toBe(1);
    expect(performance.now() - leftAt).toBeLessThan(1000);
  });

  it('closes the connection when the reader stops reading', async () => {
    const model = await modelOn((_call, response) => begin(response)(piece('It is ')));
    for await (const part of model.generate(request())) if (part.kind === 'text') break;
    await expect.poll(() => server.left(), { timeout: 1000 }).toBe(1);
  });
});
