import type { Call, GatewayContext } from './context.js';

const suffix = '.dead-letter';

/** How many dead letters stand on the bus that concern the caller's workspace. */
export async function countDeadLetters({ ports }: GatewayContext, { caller }: Call): Promise<number> {
  const topics = await ports.bus.topics();
  let count = 0;
  for (const { name } of topics) {
    if (!name.endsWith(suffix)) continue;
    for await (const { headers } of ports.bus.read(name)) {
      // One without a workspace was unreadable: whoever runs the server alone is to know of it.
      if (headers.workspace === caller.workspace || (headers.workspace === undefined && caller.local)) count++;
    }
  }
  return count;
}
