import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Value } from '@sinclair/typebox/value';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createS3BlobStore, type S3BlobStore } from '../../../../../services/ports/blob-store/s3/s3.js';
import { s3Config } from '../../../../../services/ports/blob-store/s3/s3-config.js';
import { startFaultyProxy, type Fault } from '../../../../stack/faulty-proxy.js';
import { s3Credentials, startS3 } from '../../../../stack/s3.js';
import { startOrSkip } from '../../../../stack/start-or-skip.js';

const mebibyte = 1 << 20;
const partBytes = 5 * mebibyte;
const tomorrow = new Date(Date.now() + 86_400_000);

const folder = await mkdtemp(path.join(tmpdir(), 'sluice-s3-'));
const server = await startOrSkip('an S3 server', () => startS3(folder));
afterAll(async () => {
  await server?.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const piece = Buffer.from(Array.from({ length: mebibyte }, (_, index) => (index * 7) % 251));
/** `count` mebibytes; `before` runs before each. */
async function* mebibytes(count: number, before: (index: number) => unknown = () => undefined): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index++) {
    await before(index);
    yield piece;
  }
}

if (server !== undefined) {
  const proxy = await startFaultyProxy(server.url);
  const open: S3BlobStore[] = [];
  type Options = Parameters<typeof createS3BlobStore>[0];
  const opened = async (more: Partial<Options> = {}): Promise<S3BlobStore> => {
    const options = { ...Value.Create(s3Config), ...s3Credentials, partBytes, endpoint: proxy.url };
    const store = await createS3BlobStore({ ...options, ...more });
    open.push(store);
    return store;
  };
  /** Does this to the first `times` requests that `matches` picks, and counts all that it picks. */
  const onRequests = (matches: (text: string) => boolean, fault: Fault | undefined, times = Infinity) => {
    const seen = { count: 0 };
    proxy.decide = ({ method, url }) => {
      if (!matches(`${method} ${url}`)) return undefined;
      return ++seen.count <= times ? fault : undefined;
    };
    return seen;
  };
  const xml = (code: string, message = code) => `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  let store: S3BlobStore;
  beforeEach(async () => {
    store = await opened();
  });
  afterEach(async () => {
    proxy.decide = () => undefined;
    expect(await store.abortUploads(tomorrow)).toBe(0); // no test leaves an upload behind
    for (const one of open.splice(0)) await one.close();
  });
  afterAll(() => proxy.stop());

  /** What every operation throws. */
  const failures = async (broken: S3BlobStore): Promise<unknown[]> => {
    const list = async () => {
      for await (const { key } of broken.list('')) return key;
      return undefined;
    };
    const calls = [
      ...[
        broken.put('a/b', Buffer.from('x')),
        broken.putStream('a/b', mebibytes(6)),
        broken.get('a/b'),
        broken.head('a/b'),
      ],
      ...[broken.getStream('a/b', { start: 1, end: 2 }), list(), broken.delete(['a/b']), broken.delete(['a/b', 'a/c'])],
    ];
    return (await Promise.allSettled(calls)).map((call) =>
      call.status === 'rejected' ? (call.reason as unknown) : call.value,
    );
  };
  const allUnavailable = (pattern: RegExp): unknown[] => {
    const failure: unknown = expect.objectContaining({
      code: 'unavailable',
      message: expect.stringMatching(pattern) as string,
    });
    return Array.from({ length: 8 }, () => failure);
  };

  describe('what an operator has to put right', () => {
    it('a bucket that does not exist', async () => {
      const missing = await opened({ bucket: 'missing' });
      expect(await failures(missing)).toEqual(allUnavailable(/bucket "missing" does not exist .* s3\.createBucket/));
      await (await opened({ bucket: 'missing', createBucket: true })).put('a/b', Buffer.from('x'));
      expect((await missing.get('a/b'))?.toString()).toBe('x');
      await opened({ bucket: 'missing', createBucket: true });
    });

    it.each([
      ['another secret', { secretAccessKey: 'wrong' }, /does not accept the key \w+ \(SignatureDoesNotMatch\)/],
      ['another key', { accessKeyId: 'nobody' }, /does not accept the key nobody .*: check s3\.accessKeyId/],
      ['another region', { region: 'eu-west-9' }, /does not take requests for region eu-west-9 .* s3\.region/],
    ])('%s', async (_, wrong, pattern) => {
      expect(await failures(await opened(wrong))).toEqual(allUnavailable(pattern));
    });

    it('a server that is not there, told without a long wait', async () => {
      const nowhere = await opened({ endpoint: 'http://127.0.0.1:9', maxAttempts: 2 });
      expect(await failures(nowhere)).toEqual(
        allUnavailable(/http:\/\/127\.0\.0\.1:9 does not answer: .*ECONNREFUSED/),
      );
      await expect(
        opened({ endpoint: 'http://127.0.0.1:9', maxAttempts: 2, createBucket: true }),
      ).rejects.toMatchObject({
        code: 'unavailable',
      });
    });

    it('a key that may not write', async () => {
      onRequests((text) => text.startsWith('PUT '), { answer: { status: 403, body: xml('AccessDenied') } });
      await expect(store.put('a/b', piece)).rejects.toThrow(
        /writing blob a\/b was refused .*give the key \w+ the permission s3:PutObject in bucket "sluice"/,
      );
    });

    it('a disk that is full', async () => {
      onRequests((text) => text.startsWith('PUT '), { answer: { status: 507, body: xml('XMinioStorageFull') } });
      await expect(store.put('a/b', piece)).rejects.toMatchObject({ code: 'storage-full' });
    });
  });

  describe('the check', () => {
    const states = async (checked: S3BlobStore) => (await checked.check()).map(({ name, state }) => `${name} ${state}`);

    it('names the server and leaves nothing behind', async () => {
      const checks = await store.check();
      expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
        ...['s3 server ok', 's3 bucket ok', 's3 permissions ok'],
      ]);
      expect(checks[0]?.detail).toContain('VERSITYGW');
      for await (const { key } of store.list('installation/')) expect(key).toBe('');
    });

    it('names each permission that is missing', async () => {
      const denied = { answer: { status: 403, body: xml('AccessDenied') } };
      onRequests((text) => /^DELETE |list-type=2|[?]delete/.test(text), denied);
      expect(await states(store)).toEqual([
        ...['s3 server ok', 's3 bucket ok', 's3:ListBucket failed', 's3:DeleteObject failed'],
        's3:AbortMultipartUpload failed',
      ]);
      const checks = await store.check();
      expect(checks[2]?.advice).toBe('grant s3:ListBucket');
      proxy.decide = () => undefined;
      await store.abortUploads(tomorrow);
      for await (const { key } of store.list('installation/')) await store.delete([key]);
    });

    it('stops at what keeps everything else from working', async () => {
      expect(await states(await opened({ bucket: 'absent' }))).toEqual(['s3 server ok', 's3 bucket failed']);
      expect(await states(await opened({ secretAccessKey: 'wrong' }))).toEqual(['s3 server ok', 's3 bucket failed']);
      expect(await states(await opened({ endpoint: 'http://127.0.0.1:9' }))).toEqual(['s3 server failed']);
    });
  });

  describe('bad days', () => {
    it('waits as long as the server asks for, and tries again', async () => {
      const busy = { status: 503, headers: { 'retry-after': '1' }, body: xml('SlowDown') };
      const seen = onRequests((text) => text.startsWith('PUT '), { answer: busy }, 1);
      const start = Date.now();
      await store.put('busy/blob', Buffer.from('x'));
      expect(Date.now() - start).toBeGreaterThanOrEqual(1_000);
      expect(seen.count).toBe(2);
    });

    it('hands on a Retry-After that is longer than it waits itself', async () => {
      const busy = { status: 503, headers: { 'retry-after': '120' }, body: xml('SlowDown') };
      const seen = onRequests(() => true, { answer: busy });
      await expect(store.get('busy/blob')).rejects.toMatchObject({
        ...{ code: 'unavailable', options: { retryAfterMs: 120_000 } },
      });
      expect(seen.count).toBe(1);
    });

    it('gives up on a server that takes requests and never answers', async () => {
      onRequests(() => true, { silent: true });
      const hasty = await opened({ idleTimeoutMs: 100, maxAttempts: 2 });
      const start = Date.now();
      expect(await failures(hasty)).toEqual(allUnavailable(/does not answer: .*timed out/));
      expect(Date.now() - start).toBeLessThan(10_000);
    });

    it('sends parts again that a broken connection lost, and finishes an upload whose end was not confirmed', async () => {
      const lost = onRequests((text) => /^(PUT|POST) .*uploadId=/.test(text), { cutAfterBytes: 0 }, 3);
      expect(await store.putStream('lossy/blob', mebibytes(12))).toEqual({ sizeBytes: 12 * mebibyte });
      expect(lost.count).toBe(3 + 3 + 1);
      expect((await store.head('lossy/blob'))?.sizeBytes).toBe(12 * mebibyte);
      const whole = await store.get('lossy/blob');
      expect(whole?.equals(Buffer.concat(Array.from({ length: 12 }, () => piece)))).toBe(true);
      const seen = { count: 0 };
      proxy.decide = ({ method, url }) => {
        if (method !== 'POST' || !url?.includes('uploadId=')) return undefined;
        if (++seen.count === 1) return { cutAfterBytes: 0 };
        return { answer: { status: 404, body: xml('NoSuchUpload') } };
      };
      expect(await store.putStream('lossy/end', mebibytes(7))).toEqual({ sizeBytes: 7 * mebibyte });
      expect((await store.head('lossy/end'))?.sizeBytes).toBe(7 * mebibyte);
    });

    it('reads on where an answer broke off', async () => {
      await store.putStream('broken/blob', mebibytes(4));
      const cuts = onRequests((text) => text.startsWith('GET '), { cutAfterBytes: mebibyte + 11 }, 3);
      const whole = await store.get('broken/blob');
      expect(whole?.equals(Buffer.concat([piece, piece, piece, piece]))).toBe(true);
      expect(cuts.count).toBe(4);
      onRequests((text) => text.startsWith('GET '), { cutAfterBytes: 1 }, 2);
      const stream = await store.getStream('broken/blob', { start: 5, end: 25 });
      expect(Buffer.concat((await stream?.toArray()) as Buffer[])).toEqual(piece.subarray(5, 25));
    });

    it('does not mix two blobs when one replaced the other in the middle of a read', async () => {
      await store.putStream('replaced/blob', mebibytes(2));
      onRequests((text) => text.startsWith('GET '), { cutAfterBytes: mebibyte }, 1);
      const stream = await store.getStream('replaced/blob');
      await store.put('replaced/blob', Buffer.alloc(2 * mebibyte));
      await expect(stream?.toArray()).rejects.toMatchObject({ name: 'SluiceError' });
    });

    it('lets a reader take its time', async () => {
      await store.putStream('slow/blob', mebibytes(6));
      const patient = await opened({ idleTimeoutMs: 100 });
      const stream = await patient.getStream('slow/blob');
      let bytes = 0;
      for await (const part of stream ?? []) {
        if (bytes === 0) await delay(400); // longer than the connection may be idle
        bytes += (part as Buffer).length;
      }
      expect(bytes).toBe(6 * mebibyte);
    });
  });

  describe('unfinished uploads', () => {
    it('are aborted when the source fails between parts, or is aborted', async () => {
      await store.put('half/blob', Buffer.from('old'));
      const failing = mebibytes(20, (index) => {
        if (index === 17) throw new Error('the source broke');
      });
      await expect(store.putStream('half/blob', failing)).rejects.toThrow('the source broke');
      const abort = new AbortController();
      const left = mebibytes(20, (index) => {
        if (index === 17) abort.abort(new Error('the caller left'));
      });
      await expect(store.putStream('half/blob', left, abort.signal)).rejects.toThrow('the caller left');
      expect((await store.get('half/blob'))?.toString()).toBe('old');
    });

    it('go on over a server that was killed and came back', async () => {
      const source = mebibytes(14, async (index) => {
        if (index !== 12) return;
        await server.stop('SIGKILL');
        setTimeout(() => void server.restart(), 300);
      });
      expect(await store.putStream('killed/blob', source)).toEqual({ sizeBytes: 14 * mebibyte });
      const whole = await store.get('killed/blob');
      expect(whole?.equals(Buffer.concat(Array.from({ length: 14 }, () => piece)))).toBe(true);
    });

    it('stay when the server dies, and are aborted once they are old', async () => {
      const impatient = await opened({ maxAttempts: 1 });
      const source = mebibytes(20, (index) => (index === 12 ? server.stop('SIGKILL') : undefined));
      await expect(impatient.putStream('died/blob', source)).rejects.toMatchObject({ code: 'unavailable' });
      await server.restart();
      expect(await store.get('died/blob')).toBeUndefined();
      expect(await store.abortUploads(new Date(Date.now() - 60_000))).toBe(0);
      const other = await opened({ prefix: 'other/' });
      expect(await other.abortUploads(tomorrow)).toBe(0);
      expect(await store.abortUploads(tomorrow)).toBe(1);
    });
  });

  it('passes over objects that it did not name', async () => {
    const inside = path.join(folder, 'buckets', 'sluice', 'foreign');
    await mkdir(inside, { recursive: true });
    await writeFile(path.join(inside, 'a b'), 'not how this key is named');
    await store.put('foreign/blob', Buffer.from('x'));
    const keys: string[] = [];
    for await (const { key } of store.list('foreign')) keys.push(key);
    expect(keys).toEqual(['foreign/blob']);
  });

  it('lists and deletes more blobs than fit one answer', async () => {
    const keys = Array.from({ length: 1_205 }, (_, index) => `many/${String(index).padStart(5, '0')}`);
    const inside = path.join(folder, 'buckets', 'sluice', 'many'); // faster than by a thousand requests
    await mkdir(inside);
    await Promise.all(keys.map((key) => writeFile(path.join(inside, path.basename(key)), '')));
    const requests = onRequests((text) => text.includes('list-type=2') || text.includes('delete'), undefined);
    const listed: string[] = [];
    for await (const { key } of store.list('many/')) listed.push(key);
    expect(listed).toEqual(keys);
    await store.delete(keys);
    expect(requests.count).toBe(2 + 2);
    for await (const { key } of store.list('many/')) expect(key).toBe('');
  });
}
