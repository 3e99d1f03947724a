import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What became of a message. */
export type HandledOutcome = 'done' | 'dead-letter' | 'error-reply' | 'expired' | 'cancelled';

/** A running processor as the gauges see it at each scrape. */
export interface ObservedProcessor {
  readonly name: string;
  bytesInFlight(): number;
  joined(): boolean;
  /** Messages of the input that the group has not committed; rejects while the bus does not answer. */
  lag(): Promise<number>;
}

export interface DeliveryMetrics {
  handled(processor: string, outcome: HandledOutcome): void;
  retried(processor: string, code: string): void;
  /** One call of a handler, with one message or a batch. */
  took(processor: string, seconds: number): void;
  /** Returns how to stop observing. */
  observe(processor: ObservedProcessor): () => void;
}

const metricsOf = new WeakMap<Registry, DeliveryMetrics>();

/** The delivery metrics in this registry, made at the first call. */
export function deliveryMetrics(registry: Registry): DeliveryMetrics {
  const existing = metricsOf.get(registry);
  if (existing !== undefined) return existing;
  const created = createMetrics(registry);
  metricsOf.set(registry, created);
  return created;
}

function createMetrics(registry: Registry): DeliveryMetrics {
  const observed = new Set<ObservedProcessor>();
  const registers = [registry];
  const handled = new Counter({
    name: 'sluice_messages_handled_total',
    help: 'Messages that are finished, by processor and outcome',
    labelNames: ['processor', 'outcome'],
    registers,
  });
  const retries = new Counter({
    name: 'sluice_message_retries_total',
    help: 'Failed attempts that are tried again, by processor and error code',
    labelNames: ['processor', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'sluice_handler_seconds',
    help: 'Duration of one handler call',
    labelNames: ['processor'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers,
  });
  const gauge = (
    name: string,
    help: string,
    read: (processor: ObservedProcessor) => number | Promise<number>,
  ): void => {
    const created: Gauge = new Gauge({
      name,
      help,
      labelNames: ['processor'],
      registers,
      async collect() {
        created.reset();
        for (const processor of observed) {
          try {
            created.set({ processor: processor.name }, await read(processor));
          } catch {
            // No value is better than an old one; that the bus is away shows elsewhere.
          }
        }
      },
    });
  };
  gauge('sluice_consumer_lag', 'Messages that a processor has not finished yet', (processor) => processor.lag());
  gauge('sluice_fetched_bytes', 'Weight of the messages in memory that wait or are handled', (processor) =>
    processor.bytesInFlight(),
  );
  gauge('sluice_consumer_joined', '1 while a processor takes part in its group', (processor) =>
    processor.joined() ? 1 : 0,
  );
  return {
    handled: (processor, outcome) => {
      handled.inc({ processor, outcome });
    },
    retried: (processor, code) => {
      retries.inc({ processor, code });
    },
    took: (processor, duration) => {
      seconds.observe({ processor }, duration);
    },
    observe: (processor) => {
      observed.add(processor);
      return () => {
        observed.delete(processor);
      };
    },
  };
}
