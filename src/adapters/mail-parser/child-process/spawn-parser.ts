import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
/** Under the test runner this file is TypeScript still; the child is always the built one. */
const root = import.meta.url.endsWith('.ts') ? join(here, '../../../..') : join(here, '../../../../..');
const built = join(root, 'dist/src');
const script = join(built, 'adapters/mail-parser/child-process/parse-child.js');

/** Its own code and the packages; no data, no settings, no key. */
function readable(): readonly string[] {
  const parser = createRequire(import.meta.url).resolve('mailparser');
  const packages = parser.slice(0, parser.lastIndexOf('node_modules') + 'node_modules'.length);
  const own = ['kernel/mail', 'sandbox', 'adapters/mail-parser', 'ports'].map((folder) => join(built, folder));
  return [...own, packages, join(root, 'package.json')].flatMap((path) => [path, realpathSync(path)]);
}

const niceness = 5;
/** For what is no Buffer; those are watched from outside. */
const heapMb = 192;

/** Without environment, without our descriptors, without a right to files, processes, threads or add-ons. */
export function spawnParser(): ChildProcess {
  const allowed = [...new Set(readable())].map((path) => `--allow-fs-read=${path}`);
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, '--permission', ...allowed, script], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) makeExpendable(child.pid);
  return child;
}

function makeExpendable(pid: number): void {
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // Not this platform, or the child is gone already, which its end will tell.
  }
}
