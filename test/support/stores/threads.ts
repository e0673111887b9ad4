import { readdirSync, readFileSync } from 'node:fs';

const threads = () => readdirSync('/proc/self/task').filter((task) => nameOf(task) === 'schema-check');
/** Of services that spec files share. */
const ofOthers = new Set(threads());

/** How many threads of this process check schemas, as the system sees it. */
export const checkingThreads = (): number => threads().filter((task) => !ofOthers.has(task)).length;

/** Undefined: it has ended meanwhile. */
function nameOf(task: string): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${task}/comm`, 'latin1').trim();
  } catch {
    return undefined;
  }
}
