import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Slightly lower in priority than the parent, so that the service still responds while children work. */
const behindUs = 5;

interface Child {
  /** Flags for Node. They precede the flags of its permission model. */
  readonly flags: readonly string[];
  readonly readable: readonly string[];
  readonly script: string;
  readonly args?: readonly string[];
  readonly niceness?: number;
  /** If true, the process may start programs, which are killed together with it as one process group. */
  readonly leadsGroup?: boolean;
}

/**
 * For untrusted code or data. The process inherits no environment variables and no file descriptors, reads only the
 * files in `readable`, and communicates over descriptors 3 and 4. Everything else needs a permission in `flags`.
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

/** Makes the system slow down or kill this process first. Does nothing on systems without support for it. */
export function makeExpendable(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // Either the system does not support this or the child has ended, which is handled elsewhere.
  }
}
