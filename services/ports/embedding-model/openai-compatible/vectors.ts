import { SluiceError } from '../../../domain/errors.js';

export interface Expected {
  /** What messages call the model. */
  readonly name: string;
  readonly count: number;
  readonly dimensions: number;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * The vectors of an answer in the order of the texts, whichever way the server wrote them: base64 of little-endian
 * 32-bit floats, or lists of numbers. Throws invalid-response for another count, another width, a text answered twice, and
 * numbers that are none.
 */
export function vectorsOf(data: unknown, { name, count, dimensions }: Expected): readonly Float32Array[] {
  const fault = (what: string): SluiceError =>
    new SluiceError('invalid-response', `model ${name} answered ${count} texts with ${what}`);
  if (!Array.isArray(data)) throw fault('no list of vectors: check that baseUrl is that of an OpenAI-compatible API');
  const vectors = new Map<unknown, Float32Array>();
  for (const [position, item] of (data as readonly unknown[]).entries()) {
    const { index = position, embedding } = isRecord(item) ? item : { embedding: undefined };
    const vector = floatsOf(embedding);
    if (vector === undefined) throw fault('something that is neither a list of numbers nor base64');
    if (vector.length !== dimensions) {
      throw fault(`vectors of ${vector.length} dimensions, not ${dimensions}: correct dimensions in its settings`);
    }
    if (!vector.every(Number.isFinite)) throw fault('numbers that are not finite');
    vectors.set(index, vector);
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index));
  const complete = ordered.filter((vector) => vector !== undefined);
  if (data.length !== count || complete.length !== count) throw fault(`${data.length} vectors`);
  return complete;
}

function floatsOf(embedding: unknown): Float32Array | undefined {
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64');
    if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
    return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
  }
  if (!Array.isArray(embedding)) return undefined;
  const numbers = embedding as readonly unknown[];
  // What JSON cannot say, such as NaN, servers write as null or as a word: it must not become 0.
  return Float32Array.from(numbers, (value) => (typeof value === 'number' ? value : NaN));
}
