import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnExpendable } from '../../processes/expendable-child.js';

const self = fileURLToPath(import.meta.url);
const here = dirname(self);
/** In tests this file is in `src`, otherwise in `dist/src`. The child always runs from `dist/src`. */
const root = self.endsWith('.ts') ? join(here, '../../../..') : join(here, '../../../../..');
const script = join(root, 'dist/src/sandbox/child.js');

const flags = [
  // isolated-vm requires this flag, because Node's start-up snapshot does not work with additional isolates.
  '--no-node-snapshot',
  // Limits the child's own code. isolated-vm sets the limit of each isolate.
  '--max-old-space-size=64',
  '--allow-addons',
];

let readable: readonly string[] | undefined;

/** Node's permission model is a second barrier behind the isolate. */
export function spawnChild(memoryMb: number, niceness: number): ChildProcess {
  readable ??= readablePaths();
  return spawnExpendable({ flags, readable, script, args: [`${memoryMb}`], niceness });
}

function readablePaths(): readonly string[] {
  const require = createRequire(import.meta.url);
  const addon = require.resolve('isolated-vm/package.json');
  const loader = createRequire(addon).resolve('node-gyp-build/package.json');
  const folders = [dirname(script), dirname(addon), dirname(loader)];
  return [...folders, join(root, 'package.json'), '/etc/alpine-release'];
}
