import type { DocumentEvent } from '../../schema/generated.js';

/** An event and where it stands in its topic. */
export interface PlacedEvent {
  readonly event: DocumentEvent;
  readonly partition: number;
  readonly offset: bigint;
}
