import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Slightly lower priority than the parent, so that the machine still responds under customers' load while their work
 * proceeds.
 */
const behindUs = 5;

interface Child {
  /** Flags for Node itself, before its permissions. */
  readonly flags: readonly string[];
  /** Paths of everything that it may read. */
  readonly readable: readonly string[];
  readonly script: string;
  readonly args?: readonly string[];
  /** Priority as for setPriority. */
  readonly niceness?: number;
  /** Whether it may start programs, which are killed with it as its process group. */
  readonly leadsGroup?: boolean;
}

/**
 * Starts a process for untrusted code or data. It inherits no environment variables and no descriptors. It may read the
 * files in `readable`, and use other files, processes, threads or add-ons only if `flags` allow it. It communicates over
 * descriptors 3 and 4.
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

/** Makes the system slow or kill this process first under pressure. Does nothing where that is unsupported. */
export function makeExpendable(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // Unsupported, or the child has ended already, which is handled elsewhere.
  }
}
