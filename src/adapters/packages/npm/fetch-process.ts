import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { spawnExpendable } from '../../processes/expendable-child.js';
import { residentBytes } from '../../processes/resident-memory.js';
import { builtScript } from '../../threads/built-script.js';
import type { FetchRequest } from './fetch-protocol.js';

/** Limit of the JavaScript heap, in MB. Pieces of archives are outside the heap. */
const heapMb = 512;
const looksMs = 100;

export interface ProcessLimits {
  readonly timeMs: number;
  readonly memoryBytes: number;
}

export type FetchEnd = 'ended' | 'late' | 'large';

/**
 * The process has no environment variables. It writes only to its own folder, and reads only this folder, `files` and
 * the service's code.
 */
export class FetchProcess {
  private readonly child: ChildProcess;
  private end: FetchEnd = 'ended';

  constructor(
    folder: string,
    private readonly limits: ProcessLimits,
    files: readonly string[],
  ) {
    const script = builtScript(import.meta.url, 'fetch-child.js');
    this.child = spawnExpendable({
      flags: ['--no-warnings', `--max-old-space-size=${heapMb}`, `--allow-fs-write=${folder}`],
      readable: [folder, ...files, ...readablePaths(script)],
      script,
      args: [folder],
    });
  }

  async run(request: FetchRequest): Promise<FetchEnd> {
    const over = new Promise<NodeJS.Signals | number | null>((resolve) => {
      this.child.on('error', () => resolve(null));
      this.child.on('close', (code, signal) => resolve(signal ?? code));
    });
    const input = this.child.stdio[4] as Writable | undefined;
    // A write fails if the process has ended. `over` reports that end, so the error is ignored.
    input?.on('error', () => {});
    // The input stays open, because the child exits when its input closes.
    input?.write(`${JSON.stringify(request)}\n`);
    const late = setTimeout(() => this.stop('late'), this.limits.timeMs);
    const watch = setInterval(() => {
      if ((residentBytes(this.child.pid ?? 0) ?? 0) > this.limits.memoryBytes) this.stop('large');
    }, looksMs);
    const how = await over;
    clearTimeout(late);
    clearInterval(watch);
    // Node ends with this signal or code if its heap is full.
    return how === 'SIGABRT' || how === 134 ? 'large' : this.end;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private stop(why: FetchEnd): void {
    this.end = why;
    this.kill();
  }
}

/** Data, settings and keys must not be in these paths. */
function readablePaths(script: string): readonly string[] {
  const found = createRequire(import.meta.url).resolve('pacote');
  const packages = found.slice(0, found.lastIndexOf('node_modules') + 'node_modules'.length);
  const built = dirname(dirname(dirname(dirname(script))));
  return [
    dirname(script),
    join(built, 'adapters/egress/http'),
    join(built, 'kernel'),
    join(built, 'ports'),
    join(built, 'sandbox'),
    packages,
    join(dirname(packages), 'package.json'),
  ];
}
