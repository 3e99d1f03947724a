import type { Ports } from '../../services/ports/ports.js';

/** The same ports, but points are dropped: what is left is the cost of everything before them. */
export function dropping<P extends Ports>(ports: P): P {
  const vectorStore = new Proxy(ports.vectorStore, {
    get(store, name) {
      if (name === 'upsert') return () => Promise.resolve();
      const member: unknown = Reflect.get(store, name);
      return typeof member === 'function' ? (member.bind(store) as unknown) : member;
    },
  });
  return { ...ports, vectorStore };
}
