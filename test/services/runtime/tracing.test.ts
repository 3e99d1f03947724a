import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { contextOf, inSpan, traceparentOf } from '../../../services/runtime/tracing.js';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const options = (parent = contextOf(traceparent)) => ({ parent, kind: SpanKind.CONSUMER, attributes: {} });

describe('tracing without an SDK', () => {
  it('hands a trace on unchanged', async () => {
    const seen = await inSpan('handle', options(), (context) => Promise.resolve(traceparentOf(context)));
    expect(seen).toBe(traceparent);
    expect(traceparentOf(contextOf(traceparent.replace(/01$/, '00')))).toMatch(/-00$/);
  });

  it.each([undefined, '', 'x', '00-0-0-01', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`])(
    'starts no trace of the header %j',
    (header) => {
      expect(contextOf(header)).toBe(ROOT_CONTEXT);
      expect(traceparentOf(contextOf(header))).toBeUndefined();
    },
  );

  it('lets the failure of the work through', async () => {
    await expect(inSpan('handle', options(ROOT_CONTEXT), () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
  });
});
