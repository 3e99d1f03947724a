import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';

export interface KafkaProxy {
  /** How many responses to produce requests were held back. */
  readonly dropped: number;
  close(): Promise<void>;
}

const produceKey = 0;

/** Whole frames, each with its length in front, out of a stream. */
function frames(onFrame: (frame: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 4) {
      const length = 4 + rest.readInt32BE(0);
      if (rest.length < length) return;
      onFrame(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

/**
 * Stands between a client and a broker and loses responses to produce requests which the broker has carried out:
 * `swallow` loses the response alone, `cut` the connection with it.
 */
export async function startKafkaProxy(options: {
  readonly listen: number;
  readonly target: number;
  fate(): 'pass' | 'swallow' | 'cut';
}): Promise<KafkaProxy> {
  const { listen, target, fate } = options;
  const sockets = new Set<Socket>();
  let dropped = 0;
  const server = createServer((client) => {
    const broker = createConnection({ host: '127.0.0.1', port: target });
    const produced = new Set<number>();
    const cut = (): void => {
      client.destroy();
      broker.destroy();
      sockets.delete(client);
      sockets.delete(broker);
    };
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', cut);
      socket.on('close', cut);
    }
    client.on(
      'data',
      frames((frame) => {
        if (frame.readInt16BE(4) === produceKey) produced.add(frame.readInt32BE(8));
        broker.write(frame);
      }),
    );
    broker.on(
      'data',
      frames((frame) => {
        if (client.destroyed) return;
        const what = produced.delete(frame.readInt32BE(4)) ? fate() : 'pass';
        if (what === 'pass') client.write(frame);
        else dropped++;
        if (what === 'cut') cut();
      }),
    );
  });
  server.listen(listen, '127.0.0.1');
  await once(server, 'listening');
  return {
    get dropped() {
      return dropped;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
