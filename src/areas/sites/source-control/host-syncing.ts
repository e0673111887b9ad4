import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { GitRemote } from '../../../ports/network/git-remote.port.js';
import { refuse } from '../sites.refusals.js';
import { BranchMoves } from './branch-moves.js';
import { branchOf, headOf, remoteHeadOf } from './git-repository.js';
import { Histories, type SeenRepository } from './histories.js';
import { HostBranches } from './host-branches.js';
import { HostConnections } from './host-connections.js';
import { changedPaths } from './merge-trees.js';
import { Repositories, repositoryOf } from './repositories.js';

@Injectable()
export class HostSyncing {
  constructor(
    private readonly histories: Histories,
    private readonly moves: BranchMoves,
    private readonly branches: HostBranches,
    private readonly connections: HostConnections,
    private readonly repositories: Repositories,
    private readonly remote: GitRemote,
  ) {}

  /**
   * If there are conflicts, returns them and changes nothing.
   * @throws Refusal
   */
  async pull(call: OperationContext, projectId: string) {
    const earlier = await this.repositories.recordedBy(call, projectId, 'GitPulled');
    if (earlier !== undefined) {
      const { sha } = earlier.event.data;
      const { workspaceId } = call;
      const repository = repositoryOf(workspaceId, projectId, await this.repositories.find(workspaceId, projectId));
      const headTree = await this.repositories.treeOf(repository, headOf(earlier.before));
      return answered({ headTree }, { sha, tree: await this.repositories.treeOf(repository, sha) });
    }
    const first = await this.histories.see(call.workspaceId, projectId);
    const { branches, defaultBranch } = await this.connections.refsOf(first.found);
    const branch = first.head === undefined ? (defaultBranch ?? branchOf(first.found)) : branchOf(first.found);
    const remoteSha = branches.get(branch);
    if (remoteSha === undefined) {
      const advice = 'Call gitPush, which creates it.';
      return refuse('git-host-refused', { why: `The host has no branch '${branch}'.`, advice });
    }
    const pulled = await this.pulled(call, projectId, first, remoteSha);
    if ('conflicts' in pulled) return { sha: first.head ?? '', changed: [], conflicts: pulled.conflicts };
    if (pulled.isThere && remoteHeadOf(first.found, branch) === remoteSha) return { sha: pulled.sha, changed: [] };
    let answer = answered(first, pulled);
    await this.histories.move(call, projectId, async (seen) => {
      if (seen.head !== undefined && branchOf(seen.found) !== branch) return refuse('too-much-contention');
      const isAsBefore = JSON.stringify(seen.found) === JSON.stringify(first.found);
      const now = isAsBefore ? pulled : await this.pulled(call, projectId, seen, remoteSha);
      if ('conflicts' in now) return refuse('git-conflicts', { paths: now.conflicts });
      const repository = { ...seen.repository, packs: now.packs };
      await this.histories.mustLoseNothing(seen, repository, now.tree);
      answer = answered(seen, now);
      const data = { projectId, branch, sha: now.sha, packs: now.packs, remoteSha };
      return {
        tree: now.tree,
        repository,
        message: `Pulled ${branch} at ${remoteSha.slice(0, 7)}`,
        event: (applied) => ({ type: 'GitPulled', data: { ...data, ...applied } }),
      };
    });
    return answer;
  }

  /**
   * Uncommitted edits are not pushed.
   * @throws Refusal
   */
  async push(call: OperationContext, projectId: string) {
    const earlier = await this.repositories.recordedBy(call, projectId, 'GitPushed');
    if (earlier !== undefined) return { sha: earlier.event.data.sha };
    const found = await this.repositories.find(call.workspaceId, projectId);
    const address = await this.connections.addressOf(found);
    const branch = branchOf(found);
    const sha = headOf(found);
    if (found === undefined || sha === undefined) return refuse('git-no-commits');
    const repository = { workspaceId: call.workspaceId, id: projectId, packs: found.packs };
    const { branches } = await this.connections.refsOf(found);
    const from = branches.get(branch);
    if (from !== sha) {
      await this.mustBeBehind({ repository, sha, from, branch });
      const known = await this.knownOf(repository, [...new Set(branches.values())]);
      const pack = await this.repositories.asked((git) => git.packOf(repository, sha, known));
      await this.connections.asked(() => this.remote.push(address, { branch, from, to: sha, pack }));
    }
    await this.histories.record(call, projectId, found, [{ type: 'GitPushed', data: { projectId, branch, sha } }]);
    return { sha };
  }

  private async mustBeBehind({ repository, sha, from, branch }: Pushing): Promise<void> {
    if (from === undefined) return;
    const isKnown = await this.repositories.asked((git) => git.has(repository, from));
    const isBehind = isKnown && (await this.repositories.relation(repository, sha, from)).behind === 0;
    if (!isBehind) refuse('git-remote-ahead', { branch });
  }

  /** Returns those of the given commits that the repository has. The pack to send omits them and their history. */
  private async knownOf(repository: SeenRepository['repository'], shas: readonly string[]): Promise<readonly string[]> {
    const known: string[] = [];
    for (const sha of shas.slice(0, mostKnown)) {
      if (await this.repositories.asked((git) => git.has(repository, sha))) known.push(sha);
    }
    return known;
  }

  private async pulled(call: OperationContext, projectId: string, seen: SeenRepository, remoteSha: string) {
    const { repository } = await this.branches.fetched(seen.found, seen.repository, remoteSha);
    const { packs } = repository;
    if (seen.head === undefined) {
      const tree = await this.repositories.treeOf(repository, remoteSha);
      return { isThere: false, sha: remoteSha, packs, tree };
    }
    const message = `Merge the host's ${branchOf(seen.found)}`;
    return await this.moves.joined(call, projectId, repository, { ours: seen.head, theirs: remoteSha, message });
  }
}

const mostKnown = 50;

interface Pushing {
  readonly repository: SeenRepository['repository'];
  readonly sha: string;
  readonly from: string | undefined;
  readonly branch: string;
}

function answered(
  { headTree }: Pick<SeenRepository, 'headTree'>,
  { sha, tree }: { readonly sha: string; readonly tree: SeenRepository['headTree'] },
) {
  return { sha, changed: changedPaths(headTree, tree) };
}
