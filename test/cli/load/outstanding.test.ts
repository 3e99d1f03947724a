import { describe, expect, it } from 'vitest';
import type { DocumentEvent } from '../../../gateway/client/client.js';
import { Outstanding } from '../../../cli/load/outstanding.js';
import { Tally } from '../../../cli/load/tally.js';

const outcome = (operation_id: string, state: string, more: object = {}): NonNullable<DocumentEvent['operation']> => ({
  ...{ operation_id, state, version: 1, chunk_count: 3, unchanged: false, replaced: null, code: null, reason: null },
  ...more,
});
const event = (document_id: string, more: Partial<DocumentEvent>): DocumentEvent => ({
  ...{ kind: 'document', collection: 'default', document_id, seq: 1, at: '2026-01-01T00:00:00Z', deleted: false },
  ...{ live: null, newest: null, operation: null, cursor: null, ...more },
});
const version = (chunks: number | null): NonNullable<DocumentEvent['newest']> => ({
  ...{ version: 1, version_hash: 'h', state: 'processing', content_hash: 'c', chunks },
  ...{ stage: null, code: null, reason: null },
});
const signal = new AbortController().signal;

describe('documents that the server is at work on', () => {
  it('count once each as their outcomes come', async () => {
    const tally = new Tally();
    const outstanding = new Outstanding(tally);
    for (const name of ['a', 'b', 'c', 'd', 'e']) outstanding.add(`op-${name}`, name, `file:///${name}`, 0);
    outstanding.hear(event('a', { newest: version(null) }));
    expect(outstanding.chunked).toEqual({ documents: 0, chunks: 0 });
    outstanding.hear(event('a', { newest: version(3) }));
    outstanding.hear(event('a', { newest: version(3) }));
    expect(outstanding.chunked).toEqual({ documents: 1, chunks: 3 });
    outstanding.hear(event('a', { operation: outcome('op-a', 'ready') }));
    outstanding.hear(event('a', { operation: outcome('op-a', 'ready') }));
    outstanding.hear(event('b', { operation: outcome('op-b', 'ready', { version: 4, replaced: 3 }) }));
    outstanding.hear(event('c', { operation: outcome('op-c', 'unchanged', { unchanged: true }) }));
    outstanding.hear(
      event('d', { operation: outcome('op-d', 'failed', { code: 'unsupported-format', reason: 'a PDF' }) }),
    );
    outstanding.hear(event('e', { operation: outcome('op-e', 'stale') }));
    await outstanding.empty(signal);
    expect(tally.summary(1)).toEqual({
      new: 1,
      changed: 1,
      unchanged: 1,
      failed: [
        { source: 'file:///d', code: 'unsupported-format', reason: 'a PDF' },
        { source: 'file:///e', code: 'stale', reason: 'a newer version of it came meanwhile' },
      ],
      chunks: 6,
      seconds: 1,
    });
  });

  it('may end before the answer that names the operation', async () => {
    const tally = new Tally();
    const outstanding = new Outstanding(tally);
    outstanding.hear(event('a', { operation: outcome('op-a', 'ready') }));
    outstanding.add('op-a', 'a', 'file:///a', 0);
    await outstanding.empty(signal);
    expect(tally.settled).toBe(1);
  });

  it('keep few outcomes of others', () => {
    const tally = new Tally();
    const outstanding = new Outstanding(tally);
    for (let index = 0; index < 1_500; index++) {
      outstanding.hear(event(`${index}`, { operation: outcome(`op-${index}`, 'ready') }));
    }
    outstanding.add('op-0', '0', 'file:///0', 0);
    outstanding.add('op-1499', '1499', 'file:///1499', 0);
    expect([outstanding.size, tally.settled]).toEqual([1, 1]);
  });

  it('are asked about when they have been silent, a few at a time', () => {
    const outstanding = new Outstanding(new Tally());
    for (let index = 0; index < 5; index++) outstanding.add(`op-${index}`, `${index}`, `${index}`, 100);
    expect(outstanding.silent(99, 10, 200)).toEqual([]);
    expect(outstanding.silent(100, 3, 200).map((one) => one.operationId)).toEqual(['op-0', 'op-1', 'op-2']);
    expect(outstanding.silent(100, 3, 200).map((one) => one.operationId)).toEqual(['op-3', 'op-4']);
    expect(outstanding.silent(100, 3, 200)).toEqual([]);
  });

  it('are not waited for once the wait is aborted', async () => {
    const outstanding = new Outstanding(new Tally());
    outstanding.add('op', 'a', 'a', 0);
    const controller = new AbortController();
    const waiting = outstanding.empty(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
