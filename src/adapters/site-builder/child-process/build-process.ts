import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { BuildWatcher, SiteSources } from '../../../ports/offloaded/site-builder.port.js';
import { familyComputedMs } from '../../processes/computed-time.js';
import { spawnExpendable } from '../../processes/expendable-child.js';
import { familyBytes } from '../../processes/resident-memory.js';
import { builtScript } from '../../threads/built-script.js';
import { announcedBytes } from './announced-bytes.js';
import type { FromBuilder, LinkedSite, ToBuilder } from './build-protocol.js';
import { mostFrameBytes } from './build-protocol.js';
import { encodeBytes, framesOf } from './byte-frames.js';

export interface BuildLimits {
  /**
   * Limit of processor time, because a limit of elapsed time would end regular builds on a busy machine. Applies to
   * elapsed time if the system does not report processor time.
   */
  readonly timeMs: number;
  readonly wallMs: number;
  /** Limit of memory, including that of the bundler, which the process starts. */
  readonly memoryBytes: number;
}

export type BuildAnswer =
  | { readonly t: 'done'; readonly site: LinkedSite; readonly scripts: ReadonlyMap<string, string> }
  | Extract<FromBuilder, { t: 'failed' | 'broken' }>
  | { readonly t: 'late' | 'stuck' | 'large' | 'gone' };

/** Limit of the JavaScript heap, in MB. The bundler's memory is outside the heap. */
const heapMb = 256;
const looksMs = 50;
/** The lowest priority, so that the service still responds while many builds run. */
const niceness = 19;

/** The process has no environment variables, and may read only its own code and packages. */
export class BuildProcess {
  private readonly child: ChildProcess;
  private readonly input: Writable;
  private readonly output: Readable;
  private readonly scripts = new Map<string, string>();
  private end: 'late' | 'stuck' | 'large' | undefined;

  constructor(private readonly limits: BuildLimits) {
    const script = builtScript(import.meta.url, 'build-child.js');
    this.child = spawnExpendable({
      // The style engine is an add-on, and the bundler is a separate program. Neither is given paths of the file
      // system.
      flags: ['--no-warnings', `--max-old-space-size=${heapMb}`, '--allow-addons', '--allow-child-process'],
      readable: readablePaths(script),
      script,
      niceness,
      leadsGroup: true,
    });
    this.output = this.child.stdio[3] as Readable;
    this.input = this.child.stdio[4] as Writable;
    for (const stream of [this.input, this.output]) stream.on('error', () => {});
  }

  async run(sources: SiteSources, watcher: BuildWatcher): Promise<BuildAnswer> {
    const over = new Promise<NodeJS.Signals | number | null>((resolve) => {
      this.child.on('error', () => resolve(null));
      this.child.on('close', (code, signal) => resolve(signal ?? code));
    });
    const began = performance.now();
    const watch = setInterval(() => this.look(performance.now() - began), looksMs);
    try {
      void this.send(sources);
      const answer = await this.listen(sources, watcher);
      if (answer !== undefined) this.kill();
      const how = await over;
      // Node ends with this signal or code if its heap is full.
      const isFull = how === 'SIGABRT' || how === 134;
      return answer ?? { t: this.end ?? (isFull ? 'large' : 'gone') };
    } finally {
      clearInterval(watch);
      this.kill();
    }
  }

  kill(): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.child.kill('SIGKILL');
    }
  }

  private look(passedMs: number): void {
    const { pid = 0 } = this.child;
    const { timeMs, wallMs, memoryBytes } = this.limits;
    if ((familyBytes(pid) ?? 0) > memoryBytes) this.stop('large');
    else if ((familyComputedMs(pid) ?? passedMs) > timeMs) this.stop('late');
    else if (passedMs > wallMs) this.stop('stuck');
  }

  private stop(why: 'late' | 'stuck' | 'large'): void {
    this.end = why;
    this.kill();
  }

  private async send({ pages, components, known, theme, dependencies, packages }: SiteSources): Promise<void> {
    for (const component of components) await this.writeMessage({ t: 'component', component });
    for (const page of pages) await this.writeMessage({ t: 'page', page });
    await this.writeMessage({ t: 'known', assets: [...known] });
    await this.writeMessage({ t: 'build', theme, dependencies, packages });
  }

  private async writeMessage(head: ToBuilder, body?: Uint8Array): Promise<void> {
    let isRoomy = true;
    for (const bytes of encodeBytes(head, body)) isRoomy = this.input.write(bytes);
    if (isRoomy || this.input.closed) return;
    await new Promise<void>((resolve) => {
      for (const event of ['drain', 'close']) this.input.once(event, resolve);
    });
  }

  private async listen(sources: SiteSources, watcher: BuildWatcher): Promise<BuildAnswer | undefined> {
    for await (const { head, body } of framesOf<FromBuilder>(this.output, mostFrameBytes)) {
      switch (head.t) {
        case 'stage':
          watcher.reached(head.stage, head.done);
          break;
        case 'want':
          await this.writeMessage({ t: 'archive', integrity: head.integrity }, await sources.archive(head.integrity));
          break;
        case 'asset':
          await watcher.made(head.asset, await announcedBytes(head.asset, body));
          break;
        case 'server':
          this.scripts.set(head.name, Buffer.from(body).toString('utf8'));
          break;
        case 'done':
          return { ...head, scripts: this.scripts };
        case 'failed':
        case 'broken':
          return head;
      }
    }
    return undefined;
  }
}

function readablePaths(script: string): readonly string[] {
  const found = createRequire(import.meta.url).resolve('esbuild');
  const packages = found.slice(0, found.lastIndexOf('node_modules') + 'node_modules'.length);
  const built = dirname(dirname(dirname(dirname(script))));
  const folders = [
    'adapters/site-builder',
    'adapters/source-check',
    'adapters/packages/npm',
    'kernel',
    'ports',
    'sandbox',
    'site-module',
  ];
  return [...folders.map((folder) => join(built, folder)), packages, join(dirname(packages), 'package.json')];
}
