import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { returnFreedMemory } from '../../../services/runtime/return-freed-memory.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const megabyte = 1e6;
const filled = (bytes: number): Buffer => Buffer.allocUnsafeSlow(bytes).fill(1);

/** Fills memory with large pieces between small ones; returns the small ones. */
function fragment(): readonly Buffer[] {
  const pairs = Array.from({ length: 40 }, () => [filled(4 * megabyte), filled(50_000)] as const);
  return pairs.map(([, small]) => small);
}

it('gives freed memory back to the system', async (context) => {
  if (!(await returnFreedMemory())) context.skip('no glibc, or the optional package koffi is not installed');
  filled(24 * megabyte); // a larger one that was freed before makes the others "small" to an allocator left to itself
  collectGarbage();
  const before = process.memoryUsage.rss();
  const small = fragment();
  expect(process.memoryUsage.rss() - before).toBeGreaterThan(120 * megabyte);
  // The buffers of what is collected are freed a little later, by another thread.
  await vi.waitFor(
    () => {
      collectGarbage();
      expect(process.memoryUsage.rss() - before).toBeLessThan(60 * megabyte);
    },
    { timeout: 10_000 },
  );
  expect(small).toHaveLength(40);
});

it('gives back what lies free between pieces that are in use', async (context) => {
  if (!(await returnFreedMemory())) context.skip('no glibc, or the optional package koffi is not installed');
  const before = process.memoryUsage.rss();
  let pieces = Array.from({ length: 4_000 }, () => filled(40_000));
  expect(process.memoryUsage.rss() - before).toBeGreaterThan(120 * megabyte);
  pieces = pieces.filter((_, index) => index % 20 === 0);
  await vi.waitFor(
    () => {
      collectGarbage();
      expect(process.memoryUsage.rss() - before).toBeLessThan(60 * megabyte);
    },
    { timeout: 20_000 },
  );
  expect(pieces).toHaveLength(200);
});
