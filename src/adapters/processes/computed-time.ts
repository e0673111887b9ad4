import { readFileSync } from 'node:fs';
import { childrenOf } from './resident-memory.js';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/**
 * Returns the processor time of all threads of the process, or undefined if the system does not report it. Takes some
 * 10 µs.
 */
export const computedMs = (pid: number): number | undefined => timesOf(pid)?.own;

/** Includes the time of the programs that the process started, also of those that have ended. */
export function familyComputedMs(pid: number): number | undefined {
  const times = timesOf(pid);
  if (times === undefined) return undefined;
  return childrenOf(pid).reduce((sum, child) => sum + (familyComputedMs(child) ?? 0), times.own + times.ended);
}

function timesOf(pid: number): { readonly own: number; readonly ended: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The process's name is in brackets and can contain any character. The four times begin at the 12th field after it.
    const ticks = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number);
    const [user = Number.NaN, system = Number.NaN, endedUser = 0, endedSystem = 0] = ticks;
    const own = (user + system) * TICK_MS;
    return Number.isFinite(own) ? { own, ended: (endedUser + endedSystem) * TICK_MS } : undefined;
  } catch {
    return undefined;
  }
}
