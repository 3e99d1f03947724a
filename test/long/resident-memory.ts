import { readFileSync } from 'node:fs';

/** The most that a process had in memory so far, in bytes. Linux keeps count of it. */
export function peakResidentBytes(pid: number | undefined): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} does not say how much memory it had`);
  return Number(kilobytes) * 1024;
}
