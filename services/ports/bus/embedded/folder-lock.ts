import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SluiceError } from '../../../domain/errors.js';

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** When the process started, as the system counts it: tells a process from a later one of the same number. */
  readonly process_start: string | null;
  readonly since: string;
}

const heartbeatMs = 5_000;
const silentMs = 30_000;

/** Linux: boot id and start tick; elsewhere null, and the process number alone decides. */
function processStart(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name may hold spaces; fields are counted after its closing parenthesis.
    return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''}`;
  } catch {
    return null;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    // No file, or one that was cut off with the process that wrote it.
    return undefined;
  }
}

/** A process of this host is asked for; one of another host (a shared volume) counts as alive while it renews the file. */
function isAlive(owner: Owner, file: string): boolean {
  if (owner.host !== hostname()) return Date.now() - statSync(file).mtimeMs < silentMs;
  return processExists(owner.pid) && processStart(owner.pid) === owner.process_start;
}

/** Throws data-folder-in-use if a living process owns the folder. */
export function refuseOwnedFolder(folder: string): void {
  const file = join(folder, 'owner.json');
  const owner = readOwner(file);
  if (owner === undefined || !isAlive(owner, file)) return;
  throw new SluiceError(
    'data-folder-in-use',
    `${folder} belongs to process ${owner.pid} on ${owner.host}, running since ${owner.since}: stop that process, ` +
      'or choose another data folder',
  );
}

/**
 * Makes this process the owner of `folder`, until the returned function is called. `exclusively` must run its function
 * with no other process in between: two that find a dead owner's lock at once then take it one after the other.
 * Throws data-folder-in-use.
 */
export function lockFolder(folder: string, exclusively: (claim: () => void) => void): () => void {
  const file = join(folder, 'owner.json');
  const self: Owner = {
    pid: process.pid,
    host: hostname(),
    process_start: processStart(process.pid),
    since: new Date().toISOString(),
  };
  exclusively(() => {
    refuseOwnedFolder(folder);
    writeFileSync(file, JSON.stringify(self));
  });
  const heartbeat = setInterval(() => {
    try {
      const now = new Date();
      utimesSync(file, now, now);
    } catch {
      // Only other hosts look at the time; a folder that is gone shows at the next write.
    }
  }, heartbeatMs);
  heartbeat.unref();
  return () => {
    clearInterval(heartbeat);
    rmSync(file, { force: true });
  };
}
