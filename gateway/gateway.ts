import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Codec } from '../schema/codec.js';
import type { Ports } from '../services/ports/ports.js';
import type { Publisher } from '../services/runtime/delivery/publisher.js';
import type { HealthSource } from '../services/runtime/health.js';
import { createAuthenticator } from './access/api-keys.js';
import { checkListenAddress } from './access/loopback.js';
import type { GatewayConfig } from './config.js';
import { createApp } from './http/app.js';
import type { App } from './http/type-provider.js';
import { createDocumentEvents } from './inbox/document-events.js';
import { createInbox } from './inbox/inbox.js';
import { listen } from './listen.js';
import type { Recovery } from './operations/context.js';
import { ensureDefaultCollection } from './operations/collections/default-collection.js';

export interface GatewayOptions {
  readonly ports: Ports;
  readonly publisher: Publisher;
  readonly codec: Codec;
  readonly recovery: Recovery;
  readonly config: GatewayConfig;
  readonly log: Logger;
  readonly registry: Registry;
  /** The other parts of the process that `/healthz` tells of. */
  readonly health: readonly HealthSource[];
  /** The version of the server. */
  readonly version: string;
  /** The bus cannot be read any more: the process must end. Default: it ends by an uncaught error. */
  onFatal?(error: Error): void;
}

export interface Gateway {
  /** For injection in tests; also what listens. */
  readonly app: App;
  /** The gateway's own part in `/healthz`. */
  readonly health: HealthSource;
  /** Throws configuration-invalid for a port in use, or an address that cannot be listened on. */
  listen(): Promise<{ readonly url: string }>;
  /** Ends every call with `unavailable`, then leaves the bus. The ports stay open. */
  close(): Promise<void>;
}

/**
 * Joins the bus and builds the app, apart from listening. The topics must exist. Throws configuration-invalid for an
 * address that others can reach while no API keys are configured.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { ports, publisher, codec, recovery, config, log, registry, version } = options;
  checkListenAddress(config.host, config.apiKeys.length > 0);
  const authenticator = createAuthenticator(config.apiKeys);
  await ensureDefaultCollection(ports);
  const { onFatal = endProcess } = options;
  const reader = { bus: ports.bus, codec, log, id: randomUUID(), onFatal };
  const inbox = await createInbox({ ...reader, publisher });
  const events = await createDocumentEvents(reader);
  const health: HealthSource = {
    name: 'gateway',
    health: () => ({ live: true, ready: inbox.ready() && events.joined() }),
  };
  const context = { ports, publisher, codec, recovery, inbox, events, config, log, version };
  const parts = { health: [...options.health, health], registry, version };
  const app = await createApp(context, authenticator, parts);
  return {
    app,
    health,
    listen: () => listen(app, config, 'gateway.port'),
    close: async () => {
      await app.close();
      await Promise.all([inbox.close(), events.close()]);
    },
  };
}

function endProcess(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}
