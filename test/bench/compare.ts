import { performance } from 'node:perf_hooks';

/** One way to do a piece of work; `run` does it once. */
export interface Contender {
  readonly name: string;
  readonly run: () => unknown;
  /** How much one run does, in `unit`; default 1. */
  readonly amount?: number;
}

/** What was measured of a contender. */
export interface Measurement {
  readonly name: string;
  readonly medianMs: number;
  readonly perSecond: number;
  /** Its rate as a part of the first contender's. */
  readonly ratio: number;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

async function timeOnce(run: () => unknown): Promise<number> {
  const start = performance.now();
  const result = run();
  if (result instanceof Promise) await result;
  return performance.now() - start;
}

/**
 * Measures contenders beside one another: they take turns for `seconds`, so that whatever else the machine does meets
 * them alike. The first is the measure of the others.
 */
export async function compare(
  title: string,
  unit: string,
  contenders: readonly Contender[],
  seconds = 5,
): Promise<readonly Measurement[]> {
  for (const { run } of contenders) await timeOnce(run); // warm
  const times = contenders.map((): number[] => []);
  const end = performance.now() + seconds * 1000;
  do {
    for (const [index, { run }] of contenders.entries()) times[index]?.push(await timeOnce(run));
  } while (performance.now() < end);
  const rates = contenders.map(({ amount = 1 }, index) => (1000 * amount) / median(times[index] ?? []));
  const measurements = contenders.map(({ name }, index): Measurement => {
    const perSecond = rates[index] ?? NaN;
    return { name, medianMs: median(times[index] ?? []), perSecond, ratio: perSecond / (rates[0] ?? NaN) };
  });
  console.log(`\n${title}`);
  for (const { name, medianMs, perSecond, ratio } of measurements) {
    const rate = perSecond.toLocaleString('en', { maximumSignificantDigits: 4 });
    console.log(
      `  ${name.padEnd(36)} ${medianMs.toFixed(3).padStart(10)} ms ${rate.padStart(12)} ${unit}/s   × ${ratio.toFixed(2)}`,
    );
  }
  return measurements;
}
