import { readdirSync, readFileSync } from 'node:fs';

const threads = () => readdirSync('/proc/self/task').filter((task) => nameOf(task) === 'schema-check');
/** Threads that services of other spec files had started before. */
const ofOthers = new Set(threads());

/** Returns how many threads of this process check schemas, according to the operating system. */
export const checkingThreads = (): number => threads().filter((task) => !ofOthers.has(task)).length;

/** Returns a thread's name, or undefined if it has ended. */
function nameOf(task: string): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${task}/comm`, 'latin1').trim();
  } catch {
    return undefined;
  }
}
