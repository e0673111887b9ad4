import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnExpendable } from '../../processes/expendable-child.js';

const self = fileURLToPath(import.meta.url);
const here = dirname(self);
/** Under the test runner this file is still TypeScript, but the child is always the built one. */
const root = self.endsWith('.ts') ? join(here, '../../../..') : join(here, '../../../../..');
const script = join(root, 'dist/src/sandbox/child.js');

const flags = [
  // Required by isolated-vm: Node's start-up snapshot does not work with additional isolates.
  '--no-node-snapshot',
  // Limit for the child's own code. The limit of an isolate is set through isolated-vm.
  '--max-old-space-size=64',
  '--allow-addons',
];

let readable: readonly string[] | undefined;

/** Uses Node's permission model as a second barrier behind the isolate. */
export function spawnChild(memoryMb: number, niceness: number): ChildProcess {
  readable ??= readablePaths();
  return spawnExpendable({ flags, readable, script, args: [`${memoryMb}`], niceness });
}

/** Returns the files that the child may read: itself, its one add-on, and what loading these needs. */
function readablePaths(): readonly string[] {
  const require = createRequire(import.meta.url);
  const addon = require.resolve('isolated-vm/package.json');
  const loader = createRequire(addon).resolve('node-gyp-build/package.json');
  const folders = [dirname(script), dirname(addon), dirname(loader)];
  return [...folders, join(root, 'package.json'), '/etc/alpine-release'];
}
