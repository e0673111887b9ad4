import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

/** Milliseconds that all threads of a process have computed, or undefined where the system does not tell. Some 10 µs. */
export function computedMs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in brackets may hold anything; user and system time stand 12th and 13th behind it.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    const ticks = Number(user) + Number(system);
    return Number.isFinite(ticks) ? ticks * TICK_MS : undefined;
  } catch {
    return undefined;
  }
}
