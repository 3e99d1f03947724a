import { it } from 'vitest';

/**
 * Starts a real server, or all of them, for the tests of a file. Where it cannot be had: in CI that is a failure, on a contributor's
 * machine the tests are skipped, and the reason is printed.
 */
export async function startOrSkip<T>(name: string, start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start();
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    process.stderr.write(`skipped, for ${name} cannot be started here: ${reason}\n`);
    it.skip(`needs ${name}: ${reason}`, () => undefined);
    return undefined;
  }
}
