import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { SluiceApiError, type SluiceApi } from '../../../gateway/client/client.js';
import { give, type Command } from './commands.js';

export interface Given {
  readonly operations: readonly string[];
  /** Calls that failed and were made again. */
  readonly repeated: number;
}

const comeAgain = ['unreachable', 'unavailable', 'deadline-exceeded'];

/**
 * Gives each document's commands in their order, one by one, each until it is durable, as callers who know that servers
 * go away do; any other error than one that says so is a failure. The commands of all documents are spread over `overMs`
 * by chance; 0: each as soon as the one before is durable.
 */
export async function giveAll(
  client: SluiceApi,
  documents: readonly (readonly Command[])[],
  random: () => number,
  overMs: number,
): Promise<Given> {
  const began = performance.now();
  const operations: string[] = [];
  let repeated = 0;
  const insist = async (command: Command): Promise<string> => {
    for (;;) {
      try {
        return await give(client, command);
      } catch (error) {
        expect(error).toBeInstanceOf(SluiceApiError);
        if (error instanceof SluiceApiError && !comeAgain.includes(error.code)) throw error;
        repeated += 1;
        await delay(200);
      }
    }
  };
  const planned = documents.map((commands) => ({
    commands,
    dueMs: commands.map(() => random() * overMs).sort((a, b) => a - b),
  }));
  await Promise.all(
    planned.map(async ({ commands, dueMs }) => {
      for (const [index, command] of commands.entries()) {
        const waitMs = (dueMs[index] ?? 0) - (performance.now() - began);
        if (waitMs > 0) await delay(waitMs);
        operations.push(await insist(command));
      }
    }),
  );
  return { operations, repeated };
}
