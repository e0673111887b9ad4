import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { BoundedCache } from '../../../kernel/bounded-cache.js';
import type { Recorded } from '../../../kernel/event/event.js';
import {
  GitBusy,
  GitRefused,
  type GitRelation,
  GitRepositories,
  type GitRepository,
  type GitTree,
} from '../../../ports/offloaded/git-repositories.port.js';
import { refuse } from '../sites.refusals.js';
import { type GitRepositoryEvent, gitRepositories, type SiteRepository } from './git-repository.record.js';
import { noSettings, readSettings, type SiteSettings, settingsPath, UnfitFile } from './settings-file.js';

/** Limit for all cached trees together. Each file takes about 200 bytes. */
const mostFilesCached = 200_000;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface RecordedMove<Type extends GitRepositoryEvent['type']> {
  readonly event: Recorded<Extract<GitRepositoryEvent, { type: Type }>>;
  /** The repository before the event. */
  readonly before: SiteRepository | undefined;
}

/** Trees, settings and relations of commits never change, so they are cached. */
@Injectable()
export class Repositories {
  private readonly trees = new BoundedCache<GitTree>(mostFilesCached, ({ size }) => size + 1);
  private readonly relations = new BoundedCache<GitRelation>(10_000, () => 1);
  private readonly settings = new BoundedCache<SiteSettings>(200, () => 1);

  constructor(
    private readonly runner: CommandRunner,
    private readonly loader: AggregateLoader,
    private readonly git: GitRepositories,
  ) {}

  find(workspaceId: string, projectId: string): Promise<SiteRepository | undefined> {
    return this.runner.find(gitRepositories, workspaceId, projectId);
  }

  /**
   * Returns the event of this type that an earlier attempt of this call has recorded in the repository's stream, if
   * any.
   */
  recordedBy<Type extends GitRepositoryEvent['type']>(
    call: OperationContext,
    projectId: string,
    type: Type,
  ): Promise<RecordedMove<Type> | undefined> {
    return this.loader.earlierAttempt(call, gitRepositories, projectId, type) as Promise<
      RecordedMove<Type> | undefined
    >;
  }

  /**
   * Errors of git become refusals.
   * @throws Refusal git-refused, git-busy
   */
  async asked<Answer>(work: (git: GitRepositories) => Promise<Answer>): Promise<Answer> {
    try {
      return await work(this.git);
    } catch (error) {
      if (error instanceof GitRefused || error instanceof UnfitFile)
        return refuse('git-refused', { why: error.message });
      if (error instanceof GitBusy) return refuse('git-busy', undefined, { retryAfterSeconds: 10 });
      throw error;
    }
  }

  async treeOf(repository: GitRepository, sha: string | undefined): Promise<GitTree> {
    if (sha === undefined) return new Map();
    const name = `${repository.id} ${sha}`;
    const cached = this.trees.get(name);
    if (cached !== undefined) return cached;
    const tree = await this.asked((git) => git.tree(repository, sha));
    this.trees.set(name, tree);
    return tree;
  }

  remember({ id }: GitRepository, sha: string, tree: GitTree): void {
    this.trees.set(`${id} ${sha}`, tree);
  }

  async relation(repository: GitRepository, one: string, other: string): Promise<GitRelation> {
    const name = `${repository.id} ${one} ${other}`;
    const cached = this.relations.get(name);
    if (cached !== undefined) return cached;
    const relation = await this.asked((git) => git.relation(repository, one, other));
    this.relations.set(name, relation);
    return relation;
  }

  async settingsIn(repository: GitRepository, tree: GitTree): Promise<SiteSettings> {
    const file = tree.get(settingsPath);
    if (file === undefined) return noSettings;
    const cached = this.settings.get(file.oid);
    if (cached !== undefined) return cached;
    const texts = await this.textsOf(repository, new Map([[settingsPath, file.oid]]));
    const settings = await this.asked(async () => readSettings(texts.get(settingsPath) ?? ''));
    this.settings.set(file.oid, settings);
    return settings;
  }

  /**
   * Keyed by path.
   * @throws Refusal git-refused for a file that is not UTF-8
   */
  async textsOf(repository: GitRepository, oids: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    return await this.asked(async (git) => {
      const contents = await git.contents(repository, [...new Set(oids.values())]);
      const texts = [...oids].map(([path, oid]) => [path, textOf(path, contents.get(oid))] as const);
      return new Map(texts);
    });
  }
}

export const repositoryOf = (
  workspaceId: string,
  projectId: string,
  found: SiteRepository | undefined,
): GitRepository => ({ workspaceId, id: projectId, packs: found?.packs ?? [] });

function textOf(path: string, bytes: Uint8Array | undefined): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new UnfitFile(path, 'it is not valid UTF-8');
  }
}
