import type { Codec } from '../../../schema/codec.js';
import type { MessageHeaders } from '../../../schema/headers.js';
import { derivedMessageId } from '../../domain/identity.js';
import type { Bus, OutgoingRecord } from '../../ports/bus/port.js';
import { crashPoint } from '../crash-points.js';
import type { Output } from '../processor.js';
import { pause } from './ending.js';
import { inheritedHeaders } from './headers.js';
import { encodeOutput } from './publisher.js';
import { backoffMs } from './retry-policy.js';
import type { DeliverySettings } from './settings.js';
import { classOf } from './thrown.js';

interface EmitterOptions {
  readonly processor: string;
  readonly bus: Bus;
  readonly codec: Codec;
  readonly settings: DeliverySettings;
}

/** Turns what handlers return into records and gets them onto the bus. */
export class Emitter {
  readonly #options: EmitterOptions;
  readonly #crashPoint: string;

  constructor(options: EmitterOptions) {
    this.#options = options;
    this.#crashPoint = `${options.processor}.publish`;
  }

  /**
   * Records of `outputs`, the first of which is the input's output number `firstIndex`: the same input makes the same
   * message ids at each attempt. `series` keeps the ids of different kinds of outputs of one input apart.
   */
  encode(
    input: MessageHeaders,
    outputs: readonly Output[],
    {
      firstIndex = 0,
      series = '',
      trace = {},
    }: { firstIndex?: number; series?: string; trace?: Partial<MessageHeaders> },
  ): readonly OutgoingRecord[] {
    const inputId = `${input['message-id']}${series}`;
    return outputs.map((output, index) =>
      encodeOutput(this.#options.codec, output, {
        ...inheritedHeaders(input, output.topic.class),
        ...trace,
        'message-id': derivedMessageId(inputId, firstIndex + index),
        ...output.headers,
      }),
    );
  }

  /**
   * Resolves when the records are durable. An unavailable bus is tried again until the signal is aborted: handling the
   * message again would cost more and help nobody. Other errors are thrown.
   */
  async publish(records: readonly OutgoingRecord[], signal: AbortSignal): Promise<void> {
    if (records.length === 0) return;
    for (let attempt = 1; ; attempt++) {
      try {
        crashPoint(this.#crashPoint);
        await this.#options.bus.publish(records);
        return;
      } catch (error) {
        if (classOf(error) !== 'unavailable') throw error;
        await pause(backoffMs(attempt, this.#options.settings, Math.random()), signal);
      }
    }
  }
}
