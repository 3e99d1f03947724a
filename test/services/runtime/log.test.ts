import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../services/domain/errors.js';
import { createLogger } from '../../../services/runtime/log.js';

async function written(
  config: Parameters<typeof createLogger>[0],
  write: (log: ReturnType<typeof createLogger>) => void,
): Promise<string> {
  const stream = new PassThrough();
  write(createLogger(config, stream));
  stream.end();
  return await text(stream);
}
const json = { level: 'info', format: 'json' } as const;

describe('log', () => {
  it('writes one JSON object a line, with level and time as words', async () => {
    const lines = await written(json, (log) => {
      log.info({ workspace: 'acme' }, 'ready');
      log.debug('not this one');
    });
    expect(JSON.parse(lines)).toMatchObject({
      level: 'info',
      workspace: 'acme',
      msg: 'ready',
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
  });

  it('leaves out secrets and content, also one level down', async () => {
    const line = await written(json, (log) =>
      log.info({ apiKey: 'hunter2', value: { text: 'hunter2', vectors: ['hunter2'] }, key: 'kept' }, 'x'),
    );
    expect(line).not.toContain('hunter2');
    expect(line).toContain('kept');
  });

  it('writes code, message, stack and cause of an error, and nothing that hangs on it', async () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', request: { headers: 'hunter2' } });
    const line = await written(json, (log) =>
      log.error({ err: new SluiceError('unavailable', 'no answer', { cause }) }),
    );
    expect(line).not.toContain('hunter2');
    expect(JSON.parse(line)).toMatchObject({
      err: { type: 'SluiceError', code: 'unavailable', message: 'no answer', cause: { code: 'ECONNREFUSED' } },
    });
  });

  it('writes text for people on a terminal, or when asked', async () => {
    const line = await written({ level: 'info', format: 'pretty' }, (log) => log.warn('look'));
    expect(line).toMatch(/WARN.*look/);
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    createLogger({ level: 'info', format: 'auto' }, terminal).warn('look');
    terminal.end();
    expect(await text(terminal)).toMatch(/WARN.*look/);
  });
});
