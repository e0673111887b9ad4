import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
/** Under the test runner this file is TypeScript still; the child is always the built one. */
const root = import.meta.url.endsWith('.ts') ? join(here, '../../../..') : join(here, '../../../../..');
const script = join(root, 'dist/src/sandbox/child.js');

/** All that the child may read: itself, its one addon, and what loading these looks at. */
function readable(): readonly string[] {
  const require = createRequire(import.meta.url);
  const addon = require.resolve('isolated-vm/package.json');
  const loader = createRequire(addon).resolve('node-gyp-build/package.json');
  const folders = [dirname(script), dirname(addon), dirname(loader)];
  return [...folders, join(root, 'package.json'), '/etc/alpine-release'].flatMap((path) => [path, real(path)]);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A little behind the parent: a machine full of guest code still answers, and guest code still gets on. */
const NICENESS = 5;

let args: readonly string[] | undefined;

/** Without environment, without our descriptors, and with Node's own permissions as a second wall behind the isolate. */
export function spawnChild(memoryMb: number): ChildProcess {
  args ??= [
    // isolated-vm asks for it: Node's start-up snapshot and isolates of one's own do not go together.
    '--no-node-snapshot',
    // For the child's own code; an isolate has its limit from isolated-vm.
    '--max-old-space-size=64',
    '--permission',
    '--allow-addons',
    ...[...new Set(readable())].map((path) => `--allow-fs-read=${path}`),
    script,
  ];
  const child = spawn(process.execPath, [...args, `${memoryMb}`], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) makeExpendable(child.pid);
  return child;
}

/** Under pressure the machine shall slow or kill guest code first. Where that cannot be asked for, it goes without. */
function makeExpendable(pid: number): void {
  try {
    setPriority(pid, NICENESS);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // Not this platform, or the child is gone already, which its end will tell.
  }
}
