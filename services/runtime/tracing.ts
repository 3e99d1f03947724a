import {
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  isSpanContextValid,
  trace,
  type Attributes,
  type Context,
  type SpanKind,
} from '@opentelemetry/api';

const tracerName = 'sluice';

/** The context that a W3C `traceparent` header names; the root where there is none or it is malformed. */
export function contextOf(traceparent: string | undefined): Context {
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '');
  if (match?.[1] === undefined || match[2] === undefined || match[3] === undefined) return ROOT_CONTEXT;
  const traceFlags = parseInt(match[3], 16) & TraceFlags.SAMPLED;
  const spanContext = { traceId: match[1], spanId: match[2], traceFlags, isRemote: true };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : ROOT_CONTEXT;
}

/** The `traceparent` header that continues `context`, or undefined where nothing is traced. */
export function traceparentOf(context: Context): string | undefined {
  const spanContext = trace.getSpanContext(context);
  if (spanContext === undefined || !isSpanContextValid(spanContext)) return undefined;
  const flags = (spanContext.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  return `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`;
}

/**
 * Runs `work` in a span below `parent`, which ends with it and takes its failure. Without an OpenTelemetry SDK the
 * span records nothing and the parent's trace goes through unchanged.
 */
export async function inSpan<T>(
  name: string,
  options: { readonly parent: Context; readonly kind: SpanKind; readonly attributes: Attributes },
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const { parent, kind, attributes } = options;
  const span = trace.getTracer(tracerName).startSpan(name, { kind, attributes }, parent);
  try {
    return await work(trace.setSpan(parent, span));
  } catch (error) {
    span.recordException(error instanceof Error ? error : String(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
