import { randomUUID } from 'node:crypto';
import type { Codec } from '../../../schema/codec.js';
import type { MessageHeaders } from '../../../schema/headers.js';
import type { Bus, OutgoingRecord } from '../../ports/bus/port.js';
import type { Output } from '../processor.js';
import { wireHeaders } from './headers.js';

export interface Publisher {
  /**
   * Publishes what no message caused: calls and sweeps. Resolves when it is durable. Headers given beside an output win
   * over `headers`; without a message-id a random one is made. Errors as those of Bus.publish.
   */
  publish(outputs: readonly Output[], headers?: Partial<MessageHeaders>): Promise<void>;
}

/** Encodes an output; its key follows from its topic, on request topics it is the correlation id. */
export function encodeOutput(codec: Codec, { topic, value }: Output, headers: Partial<MessageHeaders>): OutgoingRecord {
  return {
    topic: topic.name,
    key: topic.key(value) ?? headers['correlation-id'] ?? null,
    value: codec.encode(topic.message, value),
    headers: wireHeaders(headers),
  };
}

export function createPublisher({ bus, codec }: { readonly bus: Bus; readonly codec: Codec }): Publisher {
  return {
    publish: (outputs, headers = {}) =>
      bus.publish(
        outputs.map((output) =>
          encodeOutput(codec, output, { 'message-id': randomUUID(), ...headers, ...output.headers }),
        ),
      ),
  };
}
