import { createHash } from 'node:crypto';
import { appendFileSync, createReadStream } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** What is remembered of a file that the server took. */
export interface LedgerEntry {
  /** FileStamp.fingerprint before the file was read. */
  readonly fingerprint: string;
  /** Of everything else that was said of it: title, tags, metadata. */
  readonly options: string;
  readonly documentId: string;
  readonly operationId: string;
  readonly contentHash: string;
}

/**
 * Which files the server took, so that the same load does not read them again. It is a memory, not the truth: an entry
 * counts only while the file's stamp is the same and the server still has that content. Losing it costs reading.
 */
export interface Ledger {
  readonly size: number;
  /** What an earlier load noted. */
  get(source: string): LedgerEntry | undefined;
  /** Written at once: it survives kill -9. It is for later loads, and not held. */
  note(source: string, entry: LedgerEntry): void;
  documentIds(): Set<string>;
  /** Drops lines that later ones replace, once they are the most. */
  compact(): Promise<void>;
}

/** One file for each server, workspace and collection, under the user's state folder. */
export function ledgerPath(env: NodeJS.ProcessEnv, ...of: readonly string[]): string {
  const state = env['XDG_STATE_HOME'] ?? env['LOCALAPPDATA'] ?? join(homedir(), '.local', 'state');
  const name = createHash('sha256').update(of.join('\0')).digest('hex').slice(0, 32);
  return join(state, 'sluice', 'loads', `${name}.jsonl`);
}

/** Reads a ledger; without a path, one that begins empty and is kept nowhere. */
export async function openLedger(path?: string): Promise<Ledger> {
  const { entries, lines } = path === undefined ? nothing() : await readLedger(path);
  let file = path === undefined ? undefined : await madeRoomFor(path);
  let noted = 0;
  return {
    get size() {
      return entries.size;
    },
    get: (source) => {
      const line = entries.get(source);
      return line === undefined ? undefined : parse(line)?.entry;
    },
    documentIds: () => {
      const ids = new Set<string>();
      for (const line of entries.values()) ids.add(parse(line)?.entry.documentId ?? '');
      return ids;
    },
    note: (source, entry) => {
      if (file === undefined) return;
      noted++;
      try {
        // A line of its own at the front: one that a kill cut short spoils no other.
        appendFileSync(file, `\n${serialize(source, entry)}\n`);
      } catch {
        // A full or read-only disk: the next load reads more, and that is all.
        file = undefined;
      }
    },
    compact: async () => {
      if (file === undefined || lines + noted < 2 * entries.size + 1_000) return;
      const all = await readLedger(file);
      if (all.lines < 2 * all.entries.size) return;
      const kept = `${file}.${process.pid}`;
      await writeFile(kept, [...all.entries.values()].join('\n'));
      await rename(kept, file);
    },
  };
}

/** Lines by source, as they stand in the file: one short string each is all that is held. */
interface Lines {
  readonly entries: Map<string, string>;
  readonly lines: number;
}

const nothing = (): Lines => ({ entries: new Map(), lines: 0 });

async function readLedger(path: string): Promise<Lines> {
  const entries = new Map<string, string>();
  let lines = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      if (line === '') continue;
      lines++;
      const read = parse(line);
      if (read !== undefined) entries.set(read.source, line);
    }
  } catch {
    // Not there, or not to be read: nothing is remembered.
  }
  return { entries, lines };
}

const madeRoomFor = (path: string): Promise<string | undefined> =>
  mkdir(dirname(path), { recursive: true }).then(
    () => path,
    () => undefined,
  );

const serialize = (source: string, entry: LedgerEntry): string =>
  JSON.stringify([source, entry.fingerprint, entry.options, entry.documentId, entry.operationId, entry.contentHash]);

function parse(line: string): { source: string; entry: LedgerEntry } | undefined {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!Array.isArray(read) || read.length !== 6) return undefined;
  const fields = read.map(String);
  const [source, fingerprint, options, documentId, operationId, contentHash] = fields;
  if (
    source === undefined ||
    fingerprint === undefined ||
    options === undefined ||
    documentId === undefined ||
    operationId === undefined ||
    contentHash === undefined
  ) {
    return undefined;
  }
  return { source, entry: { fingerprint, options, documentId, operationId, contentHash } };
}
