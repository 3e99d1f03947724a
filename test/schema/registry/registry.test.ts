import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { afterAll, describe, expect, it } from 'vitest';
import { UndecodableError, messageType, parseSchemas } from '../../../schema/codec.js';
import { schemas, type Messages } from '../../../schema/generated.js';
import { registryCodec, type RegistryOptions } from '../../../schema/registry/registry.js';
import { registryConfig } from '../../../schema/registry/registry-config.js';
import { acceptedDocument, describeCodecContract, isReadable } from '../../contracts/codec-contract.js';
import { startRegistry } from '../../stack/registry.js';
import { startOrSkip } from '../../stack/start-or-skip.js';

const folder = await mkdtemp(path.join(tmpdir(), 'sluice-registry-'));
const server = await startOrSkip('a schema registry', () => startRegistry(folder));
afterAll(async () => {
  await server?.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const optionsFor = (url: string, more: Partial<RegistryOptions> = {}): RegistryOptions => ({
  ...Value.Create(registryConfig),
  url,
  ...more,
});
const unavailable = { name: 'SluiceError', code: 'unavailable' };

async function call(url: string, method: string, where: string, body?: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json' };
  const response = await fetch(url + where, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json();
}

/** The bytes of one message by a schema that is registered under a subject of its own choice. */
async function foreignBytes(url: string, subject: string, schema: { readonly name: string }, value: unknown) {
  const body = { schema: JSON.stringify(schema), schemaType: 'AVRO' };
  const { id } = (await call(url, 'POST', `/subjects/${subject}/versions`, body)) as { id: number };
  const header = Buffer.alloc(5);
  header.writeInt32BE(id, 1);
  const type = parseSchemas([schema]).get(schema.name);
  if (type === undefined) throw new Error('not parsed');
  return Buffer.concat([header, type.toBuffer(value)]);
}
const schemaOf = (name: string) => {
  const found = schemas.find((schema) => schema.name === name);
  if (found === undefined) throw new Error(`no schema ${name}`);
  return found;
};
const without = (name: string, field: string) => ({
  ...schemaOf(name),
  fields: (schemaOf(name)['fields'] as { name: string }[]).filter((one) => one.name !== field),
});

if (server !== undefined) {
  const { url } = server;

  describe('a registry without the schemas', () => {
    it('keeps a process that may not register from starting, and names what is missing', async () => {
      await expect(registryCodec(optionsFor(url, { register: false })).prepare()).rejects.toMatchObject({
        code: 'configuration-invalid',
        message: expect.stringMatching(/lacks .*sluice\.Cancellation, .*sluice\.Reply.*registry\.register/) as string,
      });
      expect(await call(url, 'GET', '/subjects')).toEqual([]);
    });
  });

  describeCodecContract('registry', 5, async () => {
    // The workers of a new installation start at the same time.
    const codecs = Array.from({ length: 4 }, () => registryCodec(optionsFor(url)));
    await Promise.all(codecs.map((codec) => codec.prepare()));
    const [codec, ...others] = codecs;
    const message = { correlation_id: 'x' };
    for (const other of others) {
      expect(other.encode('Cancellation', message)).toEqual(codec?.encode('Cancellation', message));
    }
    return codec ?? registryCodec(optionsFor(url));
  });

  describe('registry codec', () => {
    it('registers every schema under its full name, fully compatible with all its versions', async () => {
      const subjects = (await call(url, 'GET', '/subjects')) as string[];
      expect(subjects.sort()).toEqual(schemas.map(({ name }) => `sluice.${name}`).sort());
      for (const subject of subjects) {
        expect(await call(url, 'GET', `/config/${subject}`)).toEqual({ compatibilityLevel: 'FULL_TRANSITIVE' });
      }
    });

    it('registers nothing twice, and finds the same ids without registering', async () => {
      const versions = await call(url, 'GET', '/subjects/sluice.Purge/versions');
      const [again, reader] = [registryCodec(optionsFor(url)), registryCodec(optionsFor(url, { register: false }))];
      await Promise.all([again.prepare(), reader.prepare()]);
      expect(await call(url, 'GET', '/subjects/sluice.Purge/versions')).toEqual(versions);
      const message = { correlation_id: 'x' };
      expect(reader.encode('Cancellation', message)).toEqual(again.encode('Cancellation', message));
    });

    it('frames with 0 and the id of the schema', async () => {
      const codec = registryCodec(optionsFor(url));
      expect(() => codec.encode('Cancellation', { correlation_id: 'x' })).toThrow('prepare the codec first');
      await codec.prepare();
      const bytes = codec.encode('Cancellation', { correlation_id: 'x' });
      const { id } = (await call(url, 'GET', '/subjects/sluice.Cancellation/versions/latest')) as { id: number };
      expect([bytes[0], bytes.readInt32BE(1)]).toEqual([0, id]);
      expect(bytes.subarray(5)).toEqual(Buffer.from([2, 0x78]));
    });

    it('reads what another release wrote, by its own schema, and vectors as they are', async () => {
      const codec = registryCodec(optionsFor(url));
      await codec.prepare();
      const older = await foreignBytes(url, 'sluice.DocumentAccepted', without('DocumentAccepted', 'source'), {
        ...acceptedDocument,
      });
      expect(await codec.decode('DocumentAccepted', older)).toEqual(acceptedDocument);
      const newer = {
        ...schemaOf('ChunkEmbeddings'),
        fields: [
          ...(schemaOf('ChunkEmbeddings')['fields'] as object[]),
          { name: 'extra', type: ['null', 'string'], default: null },
        ],
      };
      const embeddings = { chunk_id: 'c', vectors: [Float32Array.from([1, 2.5]), Float32Array.from([])] };
      const bytes = await foreignBytes(url, 'sluice.ChunkEmbeddings', newer, { ...embeddings, extra: 'new' });
      expect(await codec.decode('ChunkEmbeddings', bytes)).toEqual(embeddings);
      expect(codec.decode('ChunkEmbeddings', bytes)).toEqual(embeddings); // at once: nothing is asked again
    });

    it('tells unknown ids and foreign schemas from a registry that does not answer', async () => {
      const codec = registryCodec(optionsFor(url));
      await codec.prepare();
      const unknown = Buffer.from([0, 0, 1, 0, 0, 2, 0x78]);
      await expect(codec.decode('Cancellation', unknown)).rejects.toThrow(
        new UndecodableError('the schema registry knows no Avro schema 65536'),
      );
      expect(await isReadable(codec, 'Cancellation', Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 2]))).toBe(false);
      const foreign = { type: 'record', name: 'Order', fields: [{ name: 'amount', type: 'double' }] };
      const bytes = await foreignBytes(url, 'shop.Order', foreign, { amount: 1 });
      expect(await isReadable(codec, 'Cancellation', bytes)).toBe(false);
      const body = {
        schema: '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}',
        schemaType: 'JSON',
      };
      const { id } = (await call(url, 'POST', '/subjects/shop.Json/versions', body)) as { id: number };
      expect(await isReadable(codec, 'Cancellation', Buffer.from([0, 0, 0, 0, id, 2, 0x78]))).toBe(false);
    });

    it('refuses to start with a schema that the registry refuses, and says what it answered', async () => {
      await call(url, 'DELETE', '/subjects/sluice.Cancellation');
      const other = { ...schemaOf('Cancellation'), fields: [{ name: 'other', type: 'string' }] };
      await foreignBytes(url, 'sluice.Cancellation', other, { other: 'x' });
      await call(url, 'PUT', '/config/sluice.Cancellation', { compatibility: 'FULL_TRANSITIVE' });
      const starting = registryCodec(optionsFor(url)).prepare();
      await expect(starting).rejects.toMatchObject({ code: 'configuration-invalid' });
      await expect(starting).rejects.toThrow(/refuses sluice\.Cancellation.*[Ii]ncompatible/);
      await call(url, 'PUT', '/config/sluice.Cancellation', { compatibility: 'BACKWARD' });
      await expect(registryCodec(optionsFor(url)).prepare()).rejects.toThrow(
        /refuses sluice\.Cancellation.*FULL_TRANSITIVE != BACKWARD/,
      );
      await call(url, 'PUT', '/config/sluice.Cancellation', { compatibility: 'FULL_TRANSITIVE' });
      await call(url, 'DELETE', '/subjects/sluice.Cancellation');
    });

    it('keeps a process that may not register from starting where only the schemas of another release stand', async () => {
      const schema = JSON.stringify(without('Cancellation', 'correlation_id'));
      await call(url, 'POST', '/subjects/sluice.Cancellation/versions', { schema });
      await expect(registryCodec(optionsFor(url, { register: false })).prepare()).rejects.toMatchObject({
        code: 'configuration-invalid',
        message: expect.stringMatching(/lacks the schemas of this release under sluice\.Cancellation:/) as string,
      });
      await call(url, 'DELETE', '/subjects/sluice.Cancellation');
    });

    it('is unavailable while the registry is down, reads on with what it knows, and recovers', async () => {
      const codec = registryCodec(optionsFor(url));
      await codec.prepare();
      const known = codec.encode('Cancellation', { correlation_id: 'x' });
      const reader = registryCodec(optionsFor(url, { register: false }));
      await server.stop('SIGKILL');
      expect(codec.decode('Cancellation', known)).toEqual({ correlation_id: 'x' });
      await expect(reader.decode('Cancellation', known)).rejects.toMatchObject(unavailable);
      await expect(registryCodec(optionsFor(url)).prepare()).rejects.toMatchObject(unavailable);
      await server.restart();
      expect(await reader.decode('Cancellation', known)).toEqual({ correlation_id: 'x' });
    });
  });
}

describe('a registry behind something else', () => {
  const requests: { readonly url: string; readonly authorization: string | undefined }[] = [];
  let answer: { readonly status: number; readonly body: string } = { status: 200, body: '' };
  const proxy = createServer((request, response) => {
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
    if (answer.status === 0) return; // silence
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  const listening = new Promise<string>((resolve) => {
    proxy.listen(0, '127.0.0.1', () => {
      const address = proxy.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/api/`);
    });
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const frame = Buffer.concat([
    Buffer.from([0, 0, 0, 0, 7]),
    messageType('Cancellation').toBuffer({ correlation_id: 'x' }),
  ]);
  const found = { status: 200, body: JSON.stringify({ schema: JSON.stringify(schemaOf('Cancellation')) }) };

  it('is asked once by all who wait for the same schema, and carries what lets it in', async () => {
    answer = found;
    requests.length = 0;
    const codec = registryCodec(optionsFor(await listening, { username: 'key', password: 'secret' }));
    const read = await Promise.all(Array.from({ length: 20 }, async () => await codec.decode('Cancellation', frame)));
    expect(read).toEqual(Array.from({ length: 20 }, () => ({ correlation_id: 'x' })));
    const basic = `Basic ${Buffer.from('key:secret').toString('base64')}`;
    expect(requests).toEqual([{ url: '/api/schemas/ids/7', authorization: basic }]);
    await registryCodec(optionsFor(await listening, { token: 'abc' })).decode('Cancellation', frame);
    expect(requests.at(-1)?.authorization).toBe('Bearer abc');
  });

  it.each([
    ['a page of a proxy', { status: 404, body: '<html>not here</html>' }],
    ['a gateway without a route', { status: 404, body: '{"message":"no route matched"}' }],
    ['a refusal', { status: 401, body: '{"error_code":401,"message":"Unauthorized"}' }],
    ['a fault', { status: 500, body: '{"error_code":50001,"message":"store"}' }],
    ['silence', { status: 0, body: '' }],
  ])('is unavailable with %s, and asked again later', async (_, given) => {
    answer = given;
    const codec = registryCodec(optionsFor(await listening, { timeoutMs: 100 }));
    await expect(codec.decode('Cancellation', frame)).rejects.toMatchObject(unavailable);
    answer = found;
    expect(await codec.decode('Cancellation', frame)).toEqual({
      correlation_id: 'x',
    } satisfies Messages['Cancellation']);
  });
});
