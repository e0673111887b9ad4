import { readFileSync } from 'node:fs';

const PAGE = 4096;

/** Returns undefined if the system does not report it. Takes some 10 µs. */
export function residentBytes(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return Number.isFinite(pages) ? pages * PAGE : undefined;
  } catch {
    return undefined;
  }
}

/** Includes the programs that the process started. */
export function familyBytes(pid: number): number | undefined {
  const own = residentBytes(pid);
  return own === undefined ? undefined : childrenOf(pid).reduce((sum, child) => sum + (familyBytes(child) ?? 0), own);
}

/** Lists only children of the main thread. Empty if Linux was built without support for this list. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
