import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChunksCreated } from '../../../schema/generated.js';
import { topics } from '../../../schema/topics.js';
import { SluiceError } from '../../../services/domain/errors.js';
import { chunkId } from '../../../services/domain/identity.js';
import { embedder } from '../../../services/embedder/embedder.js';
import { blobKeys } from '../../../services/ports/blob-store/keys.js';
import { createEmbeddingModels } from '../../../services/ports/embedding-model/embedding-models.js';
import type { EmbeddingModel } from '../../../services/ports/embedding-model/port.js';
import { chunksOf, delivery, openStage, type Stage } from './stage.js';

describe('the embedder', () => {
  let stage: Stage;
  beforeAll(async () => void (stage = await openStage()));
  afterAll(() => stage.close());

  /** The stage's model, recording what it is asked and failing as told. */
  function recorded(refuses: (text: string) => Error | undefined = () => undefined) {
    const calls: string[][] = [];
    const model: EmbeddingModel = {
      ...stage.model,
      embedPassages(texts, signal) {
        calls.push([...texts]);
        const error = texts.map(refuses).find((each) => each !== undefined);
        return error === undefined ? stage.model.embedPassages(texts, signal) : Promise.reject(error);
      },
    };
    return { calls, ports: { embeddingModels: createEmbeddingModels([model]) } };
  }

  const run = (messages: readonly ChunksCreated[], ports: object = {}) =>
    embedder.handleBatch(
      messages.map((message) => delivery(topics.chunksCreated, message)),
      stage.context(ports) as unknown as Parameters<typeof embedder.handleBatch>[1],
    );

  it('embeds packs of many documents in one call, each with its own message', async () => {
    const first = await stage.version('one', chunksOf('alpha beta', 'gamma'));
    const second = await stage.version('two', chunksOf('delta'));
    const { calls, ports } = recorded();
    const outcomes = await run([first, second], ports);
    expect(calls).toEqual([['Guide\n\nalpha beta', 'Guide\n\ngamma', 'Guide\n\ndelta']]);
    const expected = await stage.model.embedPassages(['Guide\n\nalpha beta', 'Guide\n\ngamma']);
    expect(outcomes[0]).toEqual({
      outputs: [
        {
          topic: topics.chunksEmbedded,
          value: {
            metadata: {
              ...{ workspace: 'acme', collection: 'handbook', document_id: 'one', version: 1, pack: 0 },
              ...{ version_hash: first.version_hash, text_sha256: first.text_sha256 },
            },
            space: stage.model.space.id,
            chunks: expected.map(({ vector }, seq) => ({
              chunk_id: chunkId(first.version_hash, seq),
              vectors: [vector],
            })),
            windowed: 0,
          },
        },
      ],
    });
    expect(outcomes[1]).toMatchObject({ outputs: [{ value: { metadata: { document_id: 'two' } } }] });
  });

  it('spends nothing on dead and unknown versions', async () => {
    const dead = await stage.version('dead', chunksOf('old'));
    await stage.version('dead', chunksOf('new'));
    const unknown = { ...dead, version_hash: '0'.repeat(64) };
    const { calls, ports } = recorded();
    expect(await run([dead, unknown], ports)).toEqual([{ outputs: [] }, { outputs: [] }]);
    expect(calls).toEqual([]);
  });

  it('reports a pack that is missing or was cut from another text, and embeds the others', async () => {
    const missing = await stage.version('missing', chunksOf('x'));
    await stage.ports.blobStore.delete([blobKeys.pack('acme', missing.version_hash, 0)]);
    const other = { ...(await stage.version('other', chunksOf('x'))), text_sha256: 'b'.repeat(64) };
    const good = await stage.version('good', chunksOf('x'));
    const [first, second, third] = await run([missing, other, good]);
    expect(first).toMatchObject({ error: { message: expect.stringMatching(/"missing".*is missing/) as string } });
    expect(second).toMatchObject({ error: { message: expect.stringMatching(/another text/) as string } });
    expect(third).toMatchObject({ outputs: [{ topic: topics.chunksEmbedded }] });
  });

  it('isolates a text that the model refuses', async () => {
    const bad = await stage.version('bad', chunksOf('fine', 'poison', 'fine too'));
    const good = await stage.version('good', chunksOf('also fine'));
    const { ports } = recorded((text) =>
      text.includes('poison') ? new SluiceError('invalid-argument', 'no') : undefined,
    );
    const [first, second] = await run([bad, good], ports);
    expect(first).toMatchObject({ error: { code: 'invalid-argument' } });
    expect(second).toMatchObject({ outputs: [{ topic: topics.chunksEmbedded }] });
  });

  it('fails as a whole when the model is down', async () => {
    const message = await stage.version('down', chunksOf('x'));
    const { calls, ports } = recorded(() => new SluiceError('unavailable', 'down'));
    await expect(run([message], ports)).rejects.toMatchObject({ code: 'unavailable' });
    expect(calls).toHaveLength(1);
  });

  it('refuses vectors of another width, too few, or not finite', async () => {
    const message = await stage.version('broken', chunksOf('x'));
    for (const vectors of [[new Float32Array(3)], [], [new Float32Array(1024).fill(NaN)]]) {
      const model = {
        ...stage.model,
        embedPassages: () => Promise.resolve(vectors.map((vector) => ({ vector, windows: 1 }))),
      };
      const [outcome] = await run([message], { embeddingModels: createEmbeddingModels([model]) });
      expect(outcome).toMatchObject({ error: { code: 'invalid-response' } });
    }
  });

  it('tells the librarian of a pack that it gives up', async () => {
    const message = await stage.version('given-up', chunksOf('x'));
    const letter = delivery(topics.chunksCreated, message);
    expect(embedder.onDeadLetter?.(letter, new SluiceError('space-mismatch', 'why'))).toMatchObject([
      {
        topic: topics.documentCommands,
        value: { kind: 'failed', stage: 'embedder', code: 'space-mismatch', reason: 'why' },
      },
    ]);
  });
});
