import type { Static, TObject } from '@sinclair/typebox';
import type { Logger } from 'pino';
import type { Ports } from '../../ports/ports.js';
import type { AnyProcessor, HandlerContext } from '../processor.js';

/** Makes the contexts of a processor's handlers: they see the ports that the declaration names and no others. */
export function contextFactory(
  processor: AnyProcessor,
  { ports, config, log }: { readonly ports: Ports; readonly config: Static<TObject>; readonly log: Logger },
): (signal: AbortSignal) => HandlerContext<never, TObject> {
  const visible = Object.fromEntries(processor.ports.map((name) => [name, ports[name]]));
  return (signal) => ({ config, ports: visible, log, signal });
}
