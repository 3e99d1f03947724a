import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What a URL gave, as a file of its own; `gone` if the server says that there is nothing. */
export interface WebFile {
  readonly path: string;
  readonly gone: boolean;
  readonly contentType: string | undefined;
  remove(): Promise<void>;
}

const limitMs = 300_000;

/** Fetches a URL into a temporary file. Throws when it cannot be read, for whatever reason but that it is gone. */
export async function fetchToFile(url: string, signal: AbortSignal): Promise<WebFile> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-sync-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'page');
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) });
    const gone = response.status === 404 || response.status === 410;
    if (!response.ok && !gone) throw new Error(`the server answered ${response.status}`);
    if (gone) await response.body?.cancel();
    else
      await pipeline(
        response.body === null ? Readable.from([]) : Readable.fromWeb(response.body),
        createWriteStream(path),
      );
    return { path, gone, contentType: response.headers.get('content-type') ?? undefined, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
