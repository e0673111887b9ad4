import { Injectable } from '@nestjs/common';
import { GitRemote } from '../../../ports/network/git-remote.port.js';
import type { GitRepository } from '../../../ports/offloaded/git-repositories.port.js';
import { refuse } from '../sites.refusals.js';
import { headOf, type RepositoryBefore } from './git-repository.js';
import type { SeenRepository } from './histories.js';
import { HostConnections } from './host-connections.js';
import { Repositories } from './repositories.js';

interface Fetched {
  readonly sha: string;
  /** Contains the packs with the commit `sha`. */
  readonly repository: GitRepository;
}

@Injectable()
export class HostBranches {
  constructor(
    private readonly connections: HostConnections,
    private readonly repositories: Repositories,
    private readonly remote: GitRemote,
  ) {}

  /**
   * The project's own branch takes precedence over the git host's.
   * @throws Refusal git-branch-not-found
   */
  async branchOr(
    { found, repository }: Pick<SeenRepository, 'found' | 'repository'>,
    branch: string,
  ): Promise<Fetched> {
    const sha = headOf(found, branch);
    if (sha !== undefined) return { sha, repository };
    if ((found?.connection ?? null) === null) return refuse('git-branch-not-found', { branch });
    const { branches } = await this.connections.refsOf(found);
    return await this.fetched(found, repository, branches.get(branch) ?? refuse('git-branch-not-found', { branch }));
  }

  /**
   * Fetches nothing if the repository already has the commit.
   * @throws Refusal
   */
  async fetched(found: RepositoryBefore, repository: GitRepository, sha: string): Promise<Fetched> {
    if (await this.repositories.asked((git) => git.has(repository, sha))) return { sha, repository };
    const address = await this.connections.addressOf(found);
    const have = [...new Set([...Object.values(found?.remoteBranches ?? {}), ...Object.values(found?.branches ?? {})])];
    const written = await this.connections.asked(() =>
      this.repositories.asked((git) => git.receive(repository, sha, this.remote.fetch(address, sha, have))),
    );
    return { sha, repository: { ...repository, packs: written.packs } };
  }
}
