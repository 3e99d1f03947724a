import { describe, expect, it } from 'vitest';
import { loadTransformers } from '../../../../../services/ports/embedding-model/onnx/transformers-package.js';

describe('loadTransformers', () => {
  it('says what to install where the package does not load', async () => {
    const cause = new Error("Cannot find package '@huggingface/transformers'");
    await expect(loadTransformers(() => Promise.reject(cause))).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: expect.stringContaining('npm install @huggingface/transformers') as unknown,
      options: { cause },
    });
  });
});
