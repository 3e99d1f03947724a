import { describe, expect, it } from 'vitest';
import { embedText } from '../../../../../services/ports/embedding-model/onnx/embed-text.js';
import type { Encoder } from '../../../../../services/ports/embedding-model/onnx/encoder.js';

/** Tokens are characters; the vectors of all are [1, 0], those of capitals [0, 1]. Remembers what it was given. */
function characters(maxTokens: number): Encoder & { readonly given: string[] } {
  const given: string[] = [];
  return {
    given,
    maxTokens,
    countTokens: (text) => text.length,
    encode: async (text) => {
      given.push(text);
      const capitals = [...text].map((character) => /[A-Z]/.test(character));
      return { hidden: Float32Array.from(capitals.flatMap((is) => (is ? [0, 1] : [1, 0]))), dimensions: 2 };
    },
  };
}

describe('embedText', () => {
  it('puts the prefix before the text', async () => {
    const encoder = characters(20);
    const { vector, windows } = await embedText(encoder, 'AB', { prefix: 'q:', pooling: 'mean' });
    expect(encoder.given).toEqual(['q:AB']);
    expect(windows).toBe(1);
    expect([...vector]).toEqual([Math.fround(Math.SQRT1_2), Math.fround(Math.SQRT1_2)]);
  });

  it('embeds a longer text in windows, each behind the prefix, and counts them', async () => {
    const encoder = characters(6);
    const { vector, windows } = await embedText(encoder, 'aaaa BBB', { prefix: 'q:', pooling: 'mean' });
    expect(encoder.given).toEqual(['q:aaaa', 'q: BBB']);
    expect(windows).toBe(2);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
    // The windows are [1, 0] and [1, 1] / √2 at length 1.
    expect((vector[1] ?? 0) / (vector[0] ?? 0)).toBeCloseTo(Math.SQRT1_2 / (1 + Math.SQRT1_2), 6);
  });
});
