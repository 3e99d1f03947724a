import { describe, expect, it } from 'vitest';
import { pool } from '../../../../../services/ports/embedding-model/onnx/pooling.js';
import { unitLength, unitMean } from '../../../../../services/ports/embedding-model/unit-length.js';

const hidden = Float32Array.of(1, 2, 3, 6, 5, 1);

describe('pooling', () => {
  it('takes the mean of all tokens, or the first', () => {
    expect([...pool(hidden, 2, 'mean')]).toEqual([3, 3]);
    expect([...pool(hidden, 2, 'first')]).toEqual([1, 2]);
  });

  it('brings vectors to length 1, and leaves zero as it is', () => {
    expect([...unitLength(Float32Array.of(3, 4))]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
    expect([...unitLength(new Float32Array(2))]).toEqual([0, 0]);
  });

  it('weighs windows alike', () => {
    const mean = unitMean([Float32Array.of(1, 0), Float32Array.of(0, 1)]);
    expect([...mean]).toEqual([Math.fround(Math.SQRT1_2), Math.fround(Math.SQRT1_2)]);
    expect([...unitMean([Float32Array.of(0, 1)])]).toEqual([0, 1]);
    expect([...unitMean([Float32Array.of(1, 0), Float32Array.of(-1, 0)])]).toEqual([0, 0]);
  });
});
