import { createInterface } from 'node:readline/promises';
import type { Cli } from '../cli.js';
import { UsageError } from '../usage-error.js';

/** Asks on a terminal; throws UsageError where there is none, or when the answer is not yes. */
export async function confirmed(cli: Cli, question: string): Promise<void> {
  if (cli.stderr.isTTY !== true || !('isTTY' in cli.stdin) || cli.stdin.isTTY !== true) {
    throw new UsageError(`${question} Nobody is there to ask: give --yes`);
  }
  const lines = createInterface({ input: cli.stdin });
  try {
    cli.stderr.write(`${question} [y/N] `);
    const answer = await lines.question('', { signal: cli.signal });
    if (!/^y(?:es)?$/iu.test(answer.trim())) throw new UsageError('nothing was deleted');
  } finally {
    lines.close();
  }
}
