import { expect } from 'vitest';
import type { Servers } from '../../stack/servers.js';
import { chaos, type ChaosOptions } from './chaos.js';

/** What `CHAOS_SEED`, `CHAOS_SECONDS`, `CHAOS_DOCUMENTS` and `CHAOS_PROCESSES` say, else these. */
export const chaosOptions = (otherwise: ChaosOptions): ChaosOptions => ({
  seed: Number(process.env['CHAOS_SEED'] ?? otherwise.seed),
  seconds: Number(process.env['CHAOS_SECONDS'] ?? otherwise.seconds),
  documents: Number(process.env['CHAOS_DOCUMENTS'] ?? otherwise.documents),
  processes: Number(process.env['CHAOS_PROCESSES'] ?? otherwise.processes),
});

/**
 * Runs chaos and prints its options and figures; when it fails, all that happened, too. With `TEST_LOG` that is printed
 * as it happens.
 */
export async function runChaos(servers: Servers, options: ChaosOptions): Promise<void> {
  const { seed, seconds, documents, processes } = options;
  process.stderr.write(
    `chaos: CHAOS_SEED=${seed} CHAOS_SECONDS=${seconds} CHAOS_DOCUMENTS=${documents} CHAOS_PROCESSES=${processes}\n`,
  );
  const began = performance.now();
  const story: string[] = [];
  const tell = (what: string): void => {
    const line = `${((performance.now() - began) / 1000).toFixed(1)} s: ${what}\n`;
    if (process.env['TEST_LOG'] === undefined) story.push(line);
    else process.stderr.write(line);
  };
  try {
    const report = await chaos(servers, options, tell);
    process.stderr.write(`chaos: ${JSON.stringify(report)}\n`);
    expect(report.counts['process killed']).toBeGreaterThan(0);
    expect(report.counts['record repeated']).toBeGreaterThan(0);
  } catch (error) {
    process.stderr.write(story.join(''));
    throw error;
  }
}
