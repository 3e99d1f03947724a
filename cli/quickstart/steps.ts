import { liveLines } from '../output/live-lines.js';
import { duration } from '../output/numbers.js';
import type { Output } from '../output/output.js';

/** Does something that takes a while, saying what, and then how it went and how long it took. */
export async function step<T>(
  output: Output,
  what: string,
  work: () => Promise<T>,
  during: () => string,
  result: (value: T) => string,
): Promise<T> {
  const style = output.out;
  const began = performance.now();
  const live =
    output.err.interactive && !output.json
      ? liveLines(output.stderr, output.err, () => [`  … ${what} ${during()}`])
      : undefined;
  try {
    const value = await work();
    live?.clear();
    const took = duration((performance.now() - began) / 1000);
    output.line(`  ${style.green('✓')} ${result(value)} ${style.dim(`(${took})`)}`);
    return value;
  } catch (error) {
    live?.clear();
    throw error;
  }
}
