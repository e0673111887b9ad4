import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A little behind the parent: a machine full of strangers' work still answers, and that work still gets on. */
const behindUs = 5;

interface Child {
  /** For Node itself, before its permissions. */
  readonly flags: readonly string[];
  /** All that it may read. */
  readonly readable: readonly string[];
  readonly script: string;
  readonly args?: readonly string[];
  /** As setPriority takes it. */
  readonly niceness?: number;
  /** It may start programs, which are killed with it: by the negative of its id. */
  readonly leadsGroup?: boolean;
}

/**
 * A process for untrusted code or data: without environment, without our descriptors, and without access to files,
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

/** Under pressure the machine shall slow or kill this first. Where that cannot be asked for, it goes without. */
export function makeExpendable(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // Not this platform, or the child is gone already, which its end will tell.
  }
}
