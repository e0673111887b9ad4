import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Packages,
  PackagesUnresolvable,
  type PackagesWanted,
  RegistryUnavailable,
  type ResolvedPackage,
} from '../../../ports/packages.port.js';
import { type FetchEnd, FetchProcess, type ProcessLimits } from './fetch-process.js';
import { answerFile, archiveFile, archivesOf, type FetchAnswer, type SetLimits } from './fetch-protocol.js';
import { type NpmSettings, NpmSettingsWrong, readNpmSettings, type Variables, withoutSecrets } from './npm-settings.js';

export interface PackageLimits extends ProcessLimits, SetLimits {}

const defaults: PackageLimits = {
  timeMs: 100_000,
  memoryBytes: 1_000_000_000,
  mostPackages: 1_000,
  mostBytes: 200_000_000,
  mostUnpackedBytes: 1_000_000_000,
  mostFiles: 200_000,
};
const mostAtOnce = 2;

const folderName = 'countersign-packages-';
/** Folders older than this were left by a killed process: no fetch takes this long. */
const abandonedMs = 3_600_000;

/** Asks the registries that npm is set to, in a child process of its own each time. */
export class NpmPackages extends Packages {
  private readonly running = new Map<string, FetchProcess | undefined>();
  private readonly limits: PackageLimits;
  private closed = false;

  /** @param variables those of this process: npm's settings stand in them, and in files that they name */
  constructor(
    private readonly variables: Variables,
    limits: Partial<PackageLimits> = {},
  ) {
    super();
    this.limits = { ...defaults, ...limits };
  }

  override async fetch({ workspaceId, dependencies, store }: PackagesWanted): Promise<readonly ResolvedPackage[]> {
    if (this.running.has(workspaceId) || this.running.size >= mostAtOnce) {
      throw new RegistryUnavailable('packages are being fetched already');
    }
    this.running.set(workspaceId, undefined);
    try {
      const settings = await this.settings();
      const temporary = await realpath(tmpdir());
      await removeAbandoned(temporary);
      const folder = await mkdtemp(join(temporary, folderName));
      try {
        await mkdir(join(folder, 'project'));
        if (this.closed) throw new RegistryUnavailable('the service stops');
        const process = new FetchProcess(folder, this.limits, settings.files);
        this.running.set(workspaceId, process);
        const end = await process.run({ dependencies, settings, limits: this.limits });
        const packages = this.judged(await answerIn(folder), end, settings);
        for (const [index, { name, version, integrity }] of archivesOf(packages).entries()) {
          const archive = await readFile(join(folder, archiveFile(index)));
          if (!isWhole(archive, integrity))
            throw new PackagesUnresolvable(`${name} ${version} is not what its integrity says`);
          await store(integrity, archive);
        }
        return packages;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    } finally {
      this.running.delete(workspaceId);
    }
  }

  override async close(): Promise<void> {
    this.closed = true;
    for (const process of this.running.values()) process?.kill();
  }

  private async settings(): Promise<NpmSettings> {
    try {
      return await readNpmSettings(this.variables);
    } catch (error) {
      // What it says may quote a line with a token.
      throw new RegistryUnavailable(
        error instanceof NpmSettingsWrong ? error.message : "npm's settings cannot be read",
      );
    }
  }

  private judged(answer: FetchAnswer | undefined, end: FetchEnd, settings: NpmSettings): readonly ResolvedPackage[] {
    const { timeMs, memoryBytes } = this.limits;
    if (answer === undefined) {
      if (end === 'late') throw new RegistryUnavailable(`the registry took longer than ${timeMs / 1_000} seconds`);
      if (end === 'large')
        throw new PackagesUnresolvable(`it takes more than ${Math.round(memoryBytes / 1e6)} MB of memory`);
      throw new RegistryUnavailable('the process that fetches packages ended before it was done');
    }
    if (answer.t === 'done') return answer.packages;
    const why = withoutSecrets(settings, answer.why);
    throw answer.t === 'away' ? new RegistryUnavailable(why) : new PackagesUnresolvable(why);
  }
}

async function answerIn(folder: string): Promise<FetchAnswer | undefined> {
  const text = await readFile(join(folder, answerFile), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as FetchAnswer;
  } catch {
    // It was killed while it wrote.
    return undefined;
  }
}

/** The child is not taken at its word. */
function isWhole(archive: Uint8Array, integrity: string): boolean {
  return integrity.includes(`sha512-${createHash('sha512').update(archive).digest('base64')}`);
}

async function removeAbandoned(temporary: string): Promise<void> {
  const names = (await readdir(temporary)).filter((name) => name.startsWith(folderName));
  for (const path of names.map((name) => join(temporary, name))) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedMs) {
      // Another user's folder stays.
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
