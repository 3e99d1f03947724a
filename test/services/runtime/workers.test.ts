import { afterAll, describe, expect, it } from 'vitest';
import { runInWorker, closeWorkers, WorkerStopped } from '../../../services/runtime/workers/pool.js';
import { taskOf, valueOf, workerTask } from '../../../services/runtime/workers/worker-task.js';
import { SluiceError } from '../../../services/domain/errors.js';
import type { SegmentInput, SegmentOutput } from '../../../services/decoder/decode-worker.js';

afterAll(closeWorkers);

const file = new URL('../../../services/decoder/decode-worker.js', import.meta.url);
const decode = workerTask<SegmentInput, SegmentOutput>(file, 'decodeSegment');
const html = (segment: string): SegmentInput => ({ format: 'html', segment, carry: undefined, final: true });
/** Takes the parser minutes. */
const endless = html('<div>'.repeat(400_000));

describe('workers', () => {
  it('run the compiled file, also under tests that run the sources', () => {
    expect(decode.filename).toMatch(/\/dist\/services\/decoder\/decode-worker\.js$/);
    expect(workerTask(new URL('file:///app/dist/services/x/x-worker.js'), 'x').filename).toBe(
      '/app/dist/services/x/x-worker.js',
    );
  });

  it('count a task’s time from when a thread takes it', async () => {
    const stopped = Promise.allSettled(
      Array.from({ length: 8 }, () => runInWorker(decode, endless, { timeoutMs: 300 })),
    );
    const after = runInWorker(decode, html('<p>after'), { timeoutMs: 20_000 });
    for (const result of await stopped) {
      expect(result).toMatchObject({ status: 'rejected', reason: new WorkerStopped('time') });
    }
    expect(Buffer.from((await after).text).toString()).toBe('after\n');
  });

  it('leave a task that is aborted while it waits', async () => {
    const abort = new AbortController();
    const running = Promise.allSettled(
      Array.from({ length: 4 }, () => runInWorker(decode, endless, { timeoutMs: 500 })),
    );
    const waiting = runInWorker(decode, html('x'), { timeoutMs: 500, signal: abort.signal });
    abort.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
    await running;
  });

  it('hand an error over with its code', () => {
    const failing = taskOf((): number => {
      throw new SluiceError('invalid-document', 'broken');
    });
    expect(() => valueOf(failing(undefined))).toThrow(new SluiceError('invalid-document', 'broken'));
    expect(valueOf(taskOf((value: number) => value + 1)(1))).toBe(2);
  });
});
