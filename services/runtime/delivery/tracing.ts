import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  propagation,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { MessageHeaders } from '../../../schema/headers.js';
import { asError } from './thrown.js';

/**
 * Runs `work` in a span that goes on from the messages' own traces: as its child for one message, linked to all of them
 * for a batch. `work` gets the headers that carry the trace on; none without an OpenTelemetry SDK.
 */
export async function traced<T>(
  tracer: Tracer,
  processor: string,
  inputs: readonly MessageHeaders[],
  work: (carried: Partial<MessageHeaders>) => Promise<T>,
): Promise<T> {
  const origins = inputs.map((headers) => propagation.extract(ROOT_CONTEXT, headers));
  const [only] = origins;
  const parent = origins.length === 1 && only !== undefined ? only : ROOT_CONTEXT;
  const links = origins.flatMap((origin) => {
    const spanContext = trace.getSpanContext(origin);
    return origins.length > 1 && spanContext !== undefined ? [{ context: spanContext }] : [];
  });
  const span = tracer.startSpan(
    `${processor} process`,
    { kind: SpanKind.CONSUMER, links, attributes: { 'messaging.batch.message_count': inputs.length } },
    parent,
  );
  const active = trace.setSpan(parent, span);
  const carrier: { traceparent?: string } = {};
  propagation.inject(active, carrier);
  try {
    return await context.with(active, () =>
      work(carrier.traceparent === undefined ? {} : { traceparent: carrier.traceparent }),
    );
  } catch (thrown) {
    recordFailure(span, thrown);
    throw thrown;
  } finally {
    span.end();
  }
}

function recordFailure(span: Span, thrown: unknown): void {
  const error = asError(thrown);
  span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}
