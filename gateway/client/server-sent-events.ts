import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** The events of a response's body, as they arrive. A cut connection throws what fetch throws. */
export async function* serverSentEvents(response: Response): AsyncGenerator<EventSourceMessage> {
  if (response.body === null) return;
  let arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => arrived.push(event) });
  const decoder = new TextDecoder();
  for await (const bytes of response.body as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* arrived;
    arrived = [];
  }
}
