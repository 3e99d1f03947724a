import { createHash } from 'node:crypto';
import { json, refuse, startFaultyServer } from '../services/ports/openai/faulty-server.js';

const dimensions = 64;

/** A model of words behind OpenAI's API, small enough for tests, that fails as it is told to. */
export interface WordModel {
  /** `SLUICE_*` variables that set it up under its name. */
  readonly environment: Readonly<Record<string, string>>;
  /** A text with this in it is refused. */
  refuse(marker: string | undefined): void;
  /** Answers wait until the function that is returned is called. */
  hold(): () => void;
  /** Every connection breaks, as of a server that was killed, until the function that is returned is called. */
  kill(): () => void;
  /** How many texts it was given. */
  texts(): number;
  close(): Promise<void>;
}

export async function startWordModel(name = 'small'): Promise<WordModel> {
  const prefix = `SLUICE_EMBEDDING_MODELS_${name.toUpperCase()}`;
  let killed = false;
  let refused: string | undefined;
  let held: Promise<void> = Promise.resolve();
  let texts = 0;
  const server = await startFaultyServer(async ({ body }, response) => {
    const input = body['input'] as readonly string[];
    texts += input.length;
    if (killed) {
      response.destroy();
      return;
    }
    await held;
    if (refused !== undefined && input.some((text) => text.includes(refused ?? ''))) {
      refuse(response, 400, { message: 'this text cannot be embedded' });
      return;
    }
    const data = input.map((text, index) => ({ index, object: 'embedding', embedding: base64(embed(text)) }));
    json(response, 200, { object: 'list', model: 'words', data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  });
  return {
    environment: {
      [`${prefix}_BASE_URL`]: server.url,
      [`${prefix}_MODEL`]: `words-${name}`,
      [`${prefix}_DIMENSIONS`]: String(dimensions),
      [`${prefix}_MAX_TOKENS`]: '512',
    },
    refuse: (marker) => (refused = marker),
    hold() {
      let release = (): void => undefined;
      held = new Promise((resolve) => (release = resolve));
      return release;
    },
    kill() {
      killed = true;
      return () => {
        killed = false;
      };
    },
    texts: () => texts,
    close: () => server.close(),
  };
}

function embed(text: string): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/\w+/gu) ?? []) {
    const bucket = createHash('sha1').update(word).digest().readUInt16LE(0) % dimensions;
    vector[bucket] = (vector[bucket] ?? 0) + 1;
  }
  return vector;
}

const base64 = (vector: Float32Array): string => Buffer.from(vector.buffer).toString('base64');
