import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnExpendable } from '../../processes/expendable-child.js';

const self = fileURLToPath(import.meta.url);
const here = dirname(self);
/** In tests this file is in `src`, otherwise in `dist/src`. The child always runs from `dist/src`. */
const root = self.endsWith('.ts') ? join(here, '../../../..') : join(here, '../../../../..');
const built = join(root, 'dist/src');
const script = join(built, 'adapters/mail-parser/child-process/parse-child.js');

/**
 * Limit of the JavaScript heap, in MB. Buffers are outside the heap, so the parent checks the memory of the whole
 * process.
 */
const heapMb = 192;

let readable: readonly string[] | undefined;

export function spawnParser(): ChildProcess {
  readable ??= readablePaths();
  return spawnExpendable({ flags: [`--max-old-space-size=${heapMb}`], readable, script });
}

/** Data, settings and keys must not be in these paths. */
function readablePaths(): readonly string[] {
  const parser = createRequire(import.meta.url).resolve('mailparser');
  const packages = parser.slice(0, parser.lastIndexOf('node_modules') + 'node_modules'.length);
  const own = ['kernel/mail', 'sandbox', 'adapters/mail-parser', 'ports'].map((folder) => join(built, folder));
  return [...own, packages, join(root, 'package.json')];
}
