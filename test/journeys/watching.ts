import { resolve } from 'node:path';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SluiceApiError, type DocumentEvent, type SluiceApi, type WatchEvent } from '../../gateway/client/client.js';
import type { Pipeline } from './document-life.js';

/** A pipeline whose gateway can be killed and started anew at the same address. */
export interface KillablePipeline extends Pipeline {
  killGateway(): Promise<void>;
  restartGateway(): Promise<void>;
}

/** Watchers see each change once and in order, whatever becomes of the gateway: the same on every stack. */
export function describeWatching(stack: string, start: () => Promise<KillablePipeline>): void {
  describe(`a watcher, ${stack}`, { timeout: 120_000 }, () => {
    let pipeline: KillablePipeline;
    let client: SluiceApi;
    beforeAll(async () => {
      pipeline = await start();
      client = pipeline.client;
      await client.createCollection({ collection: 'watched' });
    });
    afterAll(() => pipeline.stop());

    const put = (document_id: string, body: string) =>
      client.ingestDocument({ collection: 'watched', document_id, body, content_type: 'text/plain' });
    const documents = (events: readonly WatchEvent[]): DocumentEvent[] =>
      events.flatMap((event) => (event.kind === 'document' ? [event] : []));
    const expectOnceInOrder = (events: readonly WatchEvent[]): void => {
      const last = new Map<string, number>();
      for (const { document_id, seq } of documents(events)) {
        expect(seq).toBeGreaterThan(last.get(document_id) ?? -1);
        last.set(document_id, seq);
      }
    };
    const ready = (events: readonly WatchEvent[], id: string, version: number): boolean =>
      documents(events).some((event) => event.document_id === id && event.live?.version === version);
    const eventsOf = async (url: string, until: (events: WatchEvent[]) => boolean, headers = {}) => {
      const leaving = new AbortController();
      const response = await fetch(url, { headers, signal: leaving.signal });
      const events: WatchEvent[] = [];
      let text = '';
      for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(bytes).toString();
        const frames = text.split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) {
          const data = /^data: (.*)$/mu.exec(frame)?.[1];
          if (data !== undefined) events.push(JSON.parse(data) as WatchEvent);
        }
        if (until(events)) break;
      }
      leaving.abort();
      return events;
    };

    it('sees every change once and in order over a kill of the gateway, and nothing is lost', async () => {
      const leaving = new AbortController();
      const events: WatchEvent[] = [];
      const watching = (async () => {
        for await (const event of client.watch({ collection: 'watched', from: 'now', signal: leaving.signal })) {
          events.push(event);
        }
      })();
      watching.catch(() => undefined);
      const cli = spawn(
        process.execPath,
        [resolve('dist/cli/main.js'), 'status', '--watch', '--json', '-c', 'watched', '--url', pipeline.url],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      );
      const printed: WatchEvent[] = [];
      createInterface({ input: cli.stdout }).on('line', (line) => printed.push(JSON.parse(line) as WatchEvent));
      await vi.waitFor(() => expect([events.length, printed.length]).toEqual([1, 1]), { timeout: 30_000 });

      await put('one', 'first');
      await client.putDocument({ collection: 'watched', document_id: 'two', body: 'x', content_type: 'text/plain' });
      await pipeline.killGateway();
      await pipeline.restartGateway();
      await put('one', 'second');
      await vi.waitFor(() => {
        for (const seen of [events, printed]) {
          expect([ready(seen, 'one', 1), ready(seen, 'two', 1), ready(seen, 'one', 2)]).toEqual([true, true, true]);
        }
      }, 60_000);
      for (const seen of [events, printed]) expectOnceInOrder(seen);
      // Each seq from the first on: a watcher that lost one would lack it.
      const seqs = documents(events).filter((event) => event.document_id === 'one');
      expect(seqs.map(({ seq }) => seq)).toEqual(seqs.map((_, index) => (seqs[0]?.seq ?? 0) + index));
      // Between documents there is no order, and no common cursor: each watcher gathers partitions for itself.
      const byDocument = (seen: readonly WatchEvent[]) =>
        documents(seen)
          .map((event) => ({ ...event, cursor: '' }))
          .sort((a, b) => a.document_id.localeCompare(b.document_id) || a.seq - b.seq);
      expect(byDocument(printed)).toEqual(
        byDocument(events).filter((event) => printed.some((other) => same(other, event))),
      );
      leaving.abort();
      cli.kill('SIGINT');
      await watching.catch(() => undefined);
    });

    it('resumes from the last event seen, over HTTP and on the socket', async () => {
      const url = `${pipeline.url}/sluice/v1/events?collection=watched`;
      const began = await eventsOf(`${url}&from=now`, (events) => events.length > 0);
      await put('resumed', 'first');
      const cursor = began[0]?.cursor ?? '';
      const first = await eventsOf(`${url}&after=${cursor}`, (events) => ready(events, 'resumed', 1));
      expectOnceInOrder(first);
      await put('resumed', 'second');
      const last = first.at(-1)?.cursor ?? '';
      const rest = await eventsOf(url, (events) => ready(events, 'resumed', 2), { 'last-event-id': last });
      expectOnceInOrder([...first, ...rest]);

      const socket = new WebSocket(`${pipeline.url.replace('http', 'ws')}/sluice/v1/socket`);
      const parts: WatchEvent[] = [];
      socket.addEventListener('open', () =>
        socket.send(JSON.stringify({ id: 1, method: 'events.watch', params: { collection: 'watched', after: last } })),
      );
      socket.on('message', (data: Buffer) => {
        const { part } = JSON.parse(data.toString()) as { part?: WatchEvent };
        if (part !== undefined) parts.push(part);
      });
      await vi.waitFor(() => expect(ready(parts, 'resumed', 2)).toBe(true), 30_000);
      expect(parts.slice(0, rest.length)).toEqual(rest);
      socket.close();
    });

    it('refuses a cursor that is none, and one ahead of what there is', async () => {
      const watch = async (after: string): Promise<void> => {
        for await (const _event of client.watch({ after })) return;
      };
      await expect(watch('%%')).rejects.toMatchObject({ code: 'invalid-argument' });
      const ahead = Buffer.from('999999999').toString('base64url');
      const refused = await watch(ahead).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(SluiceApiError);
      expect(refused).toMatchObject({ code: 'events-expired', status: 410 });
    });
  });
}

const same = (a: WatchEvent, b: DocumentEvent): boolean =>
  a.kind === 'document' && a.document_id === b.document_id && a.seq === b.seq;
