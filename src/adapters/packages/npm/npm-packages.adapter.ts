import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  Packages,
  PackagesUnresolvable,
  type PackagesWanted,
  RegistryUnavailable,
  type ResolvedPackage,
} from '../../../ports/packages.port.js';
import { spawnExpendable } from '../../processes/expendable-child.js';
import { builtScript } from '../../threads/built-script.js';
import { answerFile, archiveFile, type FetchAnswer, type FetchRequest, requestFile } from './fetch-protocol.js';

export interface PackageLimits {
  readonly timeMs: number;
  readonly mostPackages: number;
  readonly mostBytes: number;
}

const defaults: PackageLimits = { timeMs: 100_000, mostPackages: 1_000, mostBytes: 200_000_000 };
const heapMb = 512;
const mostAtOnce = 2;

/** Fetches in a child process of its own each time: without environment, and with access to its own folder alone. */
export class NpmPackages extends Packages {
  private readonly running = new Map<string, ChildProcess | undefined>();

  constructor(
    private readonly registry: string,
    private readonly limits: PackageLimits = defaults,
  ) {
    super();
  }

  override async fetch({ workspaceId, dependencies, store }: PackagesWanted): Promise<readonly ResolvedPackage[]> {
    if (this.running.has(workspaceId) || this.running.size >= mostAtOnce) {
      throw new RegistryUnavailable('Packages are being fetched already.');
    }
    this.running.set(workspaceId, undefined);
    const folder = await mkdtemp(join(await realpath(tmpdir()), 'countersign-packages-'));
    try {
      const { mostPackages, mostBytes } = this.limits;
      const request: FetchRequest = { dependencies, registry: this.registry, mostPackages, mostBytes };
      await mkdir(join(folder, 'project'));
      await writeFile(join(folder, requestFile), JSON.stringify(request));
      await this.run(workspaceId, folder);
      const packages = await packagesIn(folder);
      for (const [index, { integrity }] of packages.entries()) {
        await store(integrity, await readFile(join(folder, archiveFile(index))));
      }
      return packages;
    } finally {
      this.running.delete(workspaceId);
      await rm(folder, { recursive: true, force: true });
    }
  }

  override async close(): Promise<void> {
    for (const child of this.running.values()) child?.kill('SIGKILL');
  }

  /** Resolves when the process has ended, of itself or because its time was over. */
  private async run(workspaceId: string, folder: string): Promise<void> {
    const script = builtScript(import.meta.url, 'fetch-child.js');
    const child = spawnExpendable({
      flags: ['--no-warnings', `--max-old-space-size=${heapMb}`, `--allow-fs-write=${folder}`],
      readable: [folder, ...readablePaths(script)],
      script,
      args: [folder],
    });
    this.running.set(workspaceId, child);
    const late = setTimeout(() => child.kill('SIGKILL'), this.limits.timeMs);
    await new Promise<void>((resolve) => {
      child.on('error', () => resolve());
      child.on('close', () => resolve());
    });
    clearTimeout(late);
  }
}

async function packagesIn(folder: string): Promise<readonly ResolvedPackage[]> {
  const text = await readFile(join(folder, answerFile), 'utf8').catch(() => undefined);
  if (text === undefined) throw new RegistryUnavailable('It took too long or too much memory.');
  const answer = JSON.parse(text) as FetchAnswer;
  if (answer.t === 'done') return answer.packages;
  throw answer.t === 'away' ? new RegistryUnavailable(answer.why) : new PackagesUnresolvable(answer.why);
}

/** Its own code and the packages; no data, settings or keys. */
function readablePaths(script: string): readonly string[] {
  const found = createRequire(import.meta.url).resolve('pacote');
  const packages = found.slice(0, found.lastIndexOf('node_modules') + 'node_modules'.length);
  const built = dirname(dirname(dirname(dirname(script))));
  return [dirname(script), join(built, 'ports'), packages, join(dirname(packages), 'package.json')];
}
