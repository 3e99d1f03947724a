import type { Logger } from 'pino';
import type { Codec } from '../../schema/codec.js';
import type { Filter } from '../../services/domain/filter/filter.js';
import type { Publisher } from '../../services/runtime/delivery/publisher.js';
import type { Ports } from '../../services/ports/ports.js';
import type { GatewayConfig } from '../config.js';
import type { DocumentEvents } from '../inbox/document-events.js';
import type { Inbox } from '../inbox/inbox.js';

/** What operations work with. They know nothing of HTTP, sockets or any other transport. */
export interface GatewayContext {
  readonly ports: Ports;
  readonly publisher: Publisher;
  readonly codec: Codec;
  readonly inbox: Inbox;
  readonly events: DocumentEvents;
  readonly recovery: Recovery;
  readonly config: GatewayConfig;
  readonly log: Logger;
  /** The version of the server. */
  readonly version: string;
}

/** What the sweeper does, on request. Both are of one workspace, or of all without one. */
export interface Recovery {
  sweep(request: {
    readonly stalledAfterMs?: number;
    readonly batchSize?: number;
    readonly dryRun?: boolean;
    readonly workspace?: string;
    readonly signal?: AbortSignal;
  }): Promise<{
    readonly failed: number;
    readonly redriven: number;
    readonly purged: number;
    readonly skipped_no_workspace: number;
    readonly held: {
      readonly topic: string;
      readonly group: string;
      readonly partition: number;
      readonly since: Date;
    } | null;
  }>;
  removeOrphans(request: {
    readonly force?: boolean;
    readonly dryRun?: boolean;
    readonly workspace?: string;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly points: number; readonly orphans: number; readonly removed: number }>;
}

/** For whom an operation is done: whatever it touches is this workspace's. */
export interface Caller {
  readonly workspace: string;
  /** A filter that every read of the caller passes through, as written and as parsed; it is neither seen nor widened. */
  readonly required?: { readonly where: string; readonly filter: Filter };
  /** Without keys: the one user of this machine. */
  readonly local: boolean;
}

/** One call of an operation. */
export interface Call {
  readonly caller: Caller;
  /** Aborted when the asker leaves or the server stops. */
  readonly signal: AbortSignal;
}
