import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { tlsOf, type KafkaSettings } from './kafka-client.js';
import { translateError } from './broker-errors.js';

const apiVersionsKey = 18;
/** The first version that tells features; every broker since 2.4 has it, and answers it before anyone signs in. */
const requestVersion = 3;
const supportedFeaturesTag = 0;
const uvarintBits = 7;

/**
 * The highest level of each feature that a broker supports, by the feature's name; `metadata.version` tells its release.
 * kafkajs does not ask for them. The first broker of the settings that answers is asked. Throws unavailable.
 */
export async function brokerFeatures(settings: KafkaSettings): Promise<ReadonlyMap<string, number>> {
  let failure: unknown;
  for (const broker of settings.brokers) {
    try {
      return featuresIn(await ask(broker, settings));
    } catch (error) {
      failure = error;
    }
  }
  throw translateError(failure, 'asking for the version of the brokers');
}

function ask(broker: string, settings: KafkaSettings): Promise<Buffer> {
  const colon = broker.lastIndexOf(':');
  const [host, port] = [broker.slice(0, colon), Number(broker.slice(colon + 1))];
  const { ssl } = tlsOf(settings);
  return new Promise((resolve, reject) => {
    const socket: Socket =
      ssl === undefined
        ? connectPlain({ host, port })
        : connectTls({ host, port, servername: host, ...(ssl === true ? {} : ssl) });
    let received: Buffer = Buffer.alloc(0);
    socket.setTimeout(settings.requestTimeoutMs, () => socket.destroy(new Error(`${broker} does not answer`)));
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (received.length < 4 || received.length < 4 + received.readInt32BE(0)) return;
      resolve(received);
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${broker} closed the connection`)));
    socket.write(request(settings.clientId));
  });
}

function request(clientId: string): Buffer {
  const client = Buffer.from(clientId);
  const header = Buffer.alloc(10);
  header.writeInt16BE(apiVersionsKey, 0);
  header.writeInt16BE(requestVersion, 2);
  header.writeInt16BE(client.length, 8);
  const software = ['sluice', '1'].map((text) => Buffer.concat([Buffer.from([text.length + 1]), Buffer.from(text)]));
  const noTags = Buffer.from([0]);
  const body = Buffer.concat([header, client, noTags, ...software, noTags]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length, 0);
  return Buffer.concat([size, body]);
}

/** Out of an answer in the protocol's flexible encoding; none where it tells no features. */
function featuresIn(answer: Buffer): ReadonlyMap<string, number> {
  let at = 8; // size, correlation id
  const int16 = (): number => answer.readInt16BE((at += 2) - 2);
  const uvarint = (): number => {
    for (let value = 0, shift = 0; ; shift += uvarintBits) {
      const byte = answer.readUInt8(at++);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const skipTags = (): void => {
    for (let left = uvarint(); left > 0; left--) {
      uvarint();
      const size = uvarint();
      at += size;
    }
  };
  const features = new Map<string, number>();
  if (int16() !== 0) return features;
  for (let left = uvarint() - 1; left > 0; left--) {
    at += 6; // a request's key, its first and its last version
    skipTags();
  }
  at += 4; // throttle time
  for (let left = uvarint(); left > 0; left--) {
    const tag = uvarint();
    const size = uvarint();
    const end = at + size;
    for (let count = tag === supportedFeaturesTag ? uvarint() - 1 : 0; count > 0; count--) {
      const length = uvarint() - 1;
      const name = answer.toString('utf8', at, (at += length));
      int16();
      features.set(name, int16());
      skipTags();
    }
    at = end;
  }
  return features;
}
