import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { derivedMessageId } from '../../../../services/domain/identity.js';
import { createEmbeddedBus } from '../../../../services/ports/bus/embedded/embedded-bus.js';
import type { BusRecord } from '../../../../services/ports/bus/port.js';
import { collect } from './harness.js';

const child = fileURLToPath(new URL('delivery-child.mjs', import.meta.url));
const messages = 120;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-crash-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs the process until it ends; returns the signal that killed it, or its exit code. */
const run = (environment: Record<string, string> = {}): Promise<NodeJS.Signals | number | null> =>
  new Promise((resolve) => {
    const started = spawn(process.execPath, [child, folder, String(messages)], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    started.once('close', (code, signal) => {
      resolve(signal ?? code);
    });
  });

async function read(topic: string): Promise<readonly BusRecord[]> {
  const bus = await createEmbeddedBus({ folder });
  try {
    return await collect(bus, topic);
  } finally {
    await bus.close();
  }
}

const ids = [...Array(messages).keys()].map((index) => `k${index}`);
const outputIds = (of: readonly string[]): Set<string> => new Set(of.map((id) => derivedMessageId(id, 0)));

describe('a process that is killed', () => {
  it.each(['publish', 'subject.publish:40', 'before-offset-commit', 'subject.before-offset-commit:4'])(
    'at %s loses nothing: after a restart every message has its output, with the same id',
    async (point) => {
      expect(await run({ SLUICE_TEST_CRASH_POINT: point })).toBe('SIGKILL');
      expect(await run()).toBe(0);
      const outputs = await read('document-commands');
      expect(new Set(outputs.map(({ headers }) => headers['message-id']))).toEqual(outputIds(ids));
    },
  );

  it('by crashing at every sixth commit gets through all the same', async () => {
    let deaths = 0;
    for (;;) {
      const end = await run({ SLUICE_TEST_CRASH_POINT: 'before-offset-commit:6' });
      if (end === 0) break;
      expect(end).toBe('SIGKILL');
      deaths++;
      expect(deaths).toBeLessThan(40);
    }
    expect(deaths).toBeGreaterThan(0);
    expect(new Set((await read('document-commands')).map(({ headers }) => headers['message-id']))).toEqual(
      outputIds(ids),
    );
  });
});

describe('a message that kills every process that handles it', () => {
  it('is found by the starts at its offset and dead-lettered; all others are handled', async () => {
    let deaths = 0;
    for (;;) {
      const end = await run({ KILLER: 'killer' });
      if (end === 0) break;
      expect(end).toBe('SIGKILL');
      deaths++;
      expect(deaths).toBeLessThan(20);
    }
    // Alone from the third start on, given up after three deaths alone; earlier progress may begin the count anew.
    expect(deaths).toBeGreaterThanOrEqual(5);
    const letters = await read('purges.subject.dead-letter');
    expect(letters.map(({ key }) => key)).toEqual(['killer']);
    expect(letters[0]?.headers).toMatchObject({
      'error-code': 'internal',
      attempts: '3',
      'error-message': expect.stringMatching(/^the process died \d+ times while handling it$/) as string,
    });
    const others = ids.filter((id) => id !== 'k30');
    expect(new Set((await read('document-commands')).map(({ headers }) => headers['message-id']))).toEqual(
      outputIds(others),
    );
  });
});
