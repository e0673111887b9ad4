import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * A little less priority than the parent: the machine still answers under customers' load, and their work still
 * proceeds.
 */
const behindUs = 5;

interface Child {
  /** Flags for Node itself, before its permissions. */
  readonly flags: readonly string[];
  /** Everything that it may read. */
  readonly readable: readonly string[];
  readonly script: string;
  readonly args?: readonly string[];
  /** As for setPriority. */
  readonly niceness?: number;
  /** It may start programs, which are killed with it, by its process group. */
  readonly leadsGroup?: boolean;
}

/**
 * A process for untrusted code or data: without environment and our descriptors, and without access to files,
 * processes, threads or add-ons except those named. It communicates over descriptors 3 and 4.
 */
export function spawnExpendable(about: Child): ChildProcess {
  const { flags, readable, script, args = [], niceness = behindUs, leadsGroup = false } = about;
  const paths = new Set(readable.flatMap((path) => [path, real(path)]));
  const reads = [...paths].map((path) => `--allow-fs-read=${path}`);
  const child = spawn(process.execPath, [...flags, '--permission', ...reads, script, ...args], {
    cwd: '/',
    env: {},
    detached: leadsGroup,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) makeExpendable(child.pid, niceness);
  return child;
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Under pressure, the system slows or kills this process first. Does nothing where that is unsupported. */
export function makeExpendable(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // Unsupported, or the child has ended already, which is handled elsewhere.
  }
}
