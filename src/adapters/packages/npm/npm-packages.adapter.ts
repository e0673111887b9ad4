import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../kernel/json/json.js';
import {
  Packages,
  type PackagesRequest,
  PackagesUnresolvable,
  RegistryUnavailable,
  type ResolvedPackage,
} from '../../../ports/network/packages.port.js';
import { FairTurns } from '../../turns/fair-turns.js';
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
/** The queue is short, because a fetch takes up to `timeMs` and callers would not wait for many of them. */
const turns = { atATime: 2, atATimeOfLine: 1, waiting: 8, waitingOfLine: 1, waitingOfYieldingLine: 0 };

const folderName = 'countersign-packages-';
/**
 * Age at which a folder is removed, in milliseconds. No fetch takes this long, so a killed process left the folder
 * behind.
 */
const abandonedMs = 3_600_000;

export class NpmPackages extends Packages {
  private readonly running = new Set<FetchProcess>();
  private readonly turns = new FairTurns({
    ...turns,
    full: () => new RegistryUnavailable('too many other package fetches are waiting'),
  });
  private readonly limits: PackageLimits;
  private closed = false;

  /**
   * @param variables environment of this process, which contains npm's settings or names files with them
   * @param egressAllow the list EGRESS_ALLOW: hosts to which registries can redirect in addition to public addresses
   */
  constructor(
    private readonly variables: Variables,
    private readonly egressAllow: readonly string[],
    limits: Partial<PackageLimits> = {},
  ) {
    super();
    this.limits = { ...defaults, ...limits };
  }

  override fetch(set: PackagesRequest): Promise<readonly ResolvedPackage[]> {
    return this.turns.take({ line: set.workspaceId }, () => this.fetchNow(set));
  }

  private async fetchNow({ dependencies, store }: PackagesRequest): Promise<readonly ResolvedPackage[]> {
    const settings = await this.settings();
    const temporary = await realpath(tmpdir());
    await removeAbandoned(temporary);
    const folder = await mkdtemp(join(temporary, folderName));
    try {
      await mkdir(join(folder, 'project'));
      const end = await this.run(folder, dependencies, settings);
      const packages = this.judged(await answerIn(folder), end, settings);
      for (const [index, { name, version, integrity }] of archivesOf(packages).entries()) {
        const archive = await readFile(join(folder, archiveFile(index)));
        if (!isWhole(archive, integrity))
          throw new PackagesUnresolvable(`the archive of ${name} ${version} does not match its integrity`);
        await store(integrity, archive);
      }
      return packages;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async run(folder: string, dependencies: JsonObject, settings: NpmSettings): Promise<FetchEnd> {
    if (this.closed) throw new RegistryUnavailable('the service is stopping');
    const process = new FetchProcess(folder, this.limits, settings.files);
    this.running.add(process);
    try {
      return await process.run({ dependencies, settings, egressAllow: this.egressAllow, limits: this.limits });
    } finally {
      this.running.delete(process);
    }
  }

  override async close(): Promise<void> {
    this.closed = true;
    for (const process of this.running) process.kill();
  }

  private async settings(): Promise<NpmSettings> {
    try {
      return await readNpmSettings(this.variables);
    } catch (error) {
      // npm's message can quote a line with a token.
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
        throw new PackagesUnresolvable(`resolving them takes more than ${Math.round(memoryBytes / 1e6)} MB of memory`);
      throw new RegistryUnavailable('the process that fetches packages ended unexpectedly');
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
    // The child was killed while it wrote the file.
    return undefined;
  }
}

/** The child's answer is not trusted, so the digest is checked again. */
function isWhole(archive: Uint8Array, integrity: string): boolean {
  return integrity.includes(`sha512-${createHash('sha512').update(archive).digest('base64')}`);
}

async function removeAbandoned(temporary: string): Promise<void> {
  const names = (await readdir(temporary)).filter((name) => name.startsWith(folderName));
  for (const path of names.map((name) => join(temporary, name))) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedMs) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
