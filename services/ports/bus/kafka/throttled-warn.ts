import type { Warn } from './kafka-client.js';

const quietMs = 10_000;
const maxRemembered = 1_000;

/** Says the same of the same group or topic once in ten seconds: an outage is tried again many times a second. */
export function throttled(warn: Warn, now: () => number = () => performance.now()): Warn {
  const said = new Map<string, number>();
  return (message, details) => {
    const { client, group, topic } = details;
    const what = [message, client, group, topic].map(String).join(' ');
    const last = said.get(what);
    if (last !== undefined && now() - last < quietMs) return;
    if (said.size >= maxRemembered) said.clear();
    said.set(what, now());
    warn(message, details);
  };
}
