import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'countersign-verify-';
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Lets `work` use a new folder, and deletes it afterwards, also if a signal ends the process. The folder may contain
 * personal data in the clear, so folders of processes that were killed are deleted first.
 */
export async function inScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  for (const left of readdirSync(tmpdir())) if (isAbandoned(left)) remove(join(tmpdir(), left));
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  // Process 1 of a container would ignore the same signal without a listener, so it ends here.
  const stop = (_name: NodeJS.Signals, number: number) => {
    end();
    process.exit(128 + number);
  };
  const end = () => {
    for (const signal of stopSignals) process.off(signal, stop);
    remove(folder);
  };
  for (const signal of stopSignals) process.on(signal, stop);
  try {
    return await work(folder);
  } finally {
    end();
  }
}

function isAbandoned(name: string): boolean {
  if (!name.startsWith(prefix)) return false;
  // Folders of earlier versions are not named after their process.
  const pid = Number(name.slice(prefix.length).split('-')[0]);
  return Number.isSafeInteger(pid) && !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH';
  }
}

/** A folder of another user stays. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}
