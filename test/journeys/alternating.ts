import type { SluiceApi } from '../../gateway/client/client.js';

/** A client whose calls go to one gateway after the other, as through a balancer. */
export function alternating(clients: readonly SluiceApi[]): SluiceApi {
  const [first] = clients;
  if (first === undefined) throw new Error('no client to call');
  let calls = 0;
  return new Proxy(first, {
    get(_, name) {
      const client = clients[calls++ % clients.length] ?? first;
      const member: unknown = Reflect.get(client, name);
      return typeof member === 'function' ? (member.bind(client) as unknown) : member;
    },
  });
}
