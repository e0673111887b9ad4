import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { GitTree } from '../../../ports/offloaded/git-repositories.port.js';
import { refuse } from '../sites.refusals.js';
import { CommitAuthors } from './commit-authors.js';
import { branchOf, headOf } from './git-repository.js';
import { Histories, type SeenRepository } from './histories.js';
import { Repositories, repositoryOf } from './repositories.js';

/** Number of commits that a roll-back searches for its target. */
const mostCommits = 10_000;

interface Merging {
  readonly from: string;
  readonly to: string;
}

@Injectable()
export class BranchMoves {
  constructor(
    private readonly histories: Histories,
    private readonly repositories: Repositories,
    private readonly authors: CommitAuthors,
  ) {}

  /**
   * If there are conflicts, returns them and changes nothing.
   * @throws Refusal
   */
  async merge(call: OperationContext, projectId: string, { from, to }: Merging) {
    const earlier = await this.repositories.recordedBy(call, projectId, 'GitMerged');
    if (earlier !== undefined) return { merged: true, sha: earlier.event.data.sha };
    const seen = await this.histories.see(call.workspaceId, projectId);
    const merged = await this.mergedInto(call, projectId, seen, { from, to });
    if ('conflicts' in merged) return { merged: false, conflicts: merged.conflicts };
    if (merged.isThere) return { merged: true, sha: merged.sha };
    const event = (now: { readonly sha: string; readonly packs: readonly string[] }) => ({
      type: 'GitMerged' as const,
      data: { projectId, branch: to, from, sha: now.sha, packs: now.packs },
    });
    if (to !== branchOf(seen.found)) {
      const { type, data } = event(merged);
      await this.histories.record(call, projectId, seen.found, [{ type, data: { ...data, changed: 0, deleted: 0 } }]);
      return { merged: true, sha: merged.sha };
    }
    let { sha } = merged;
    await this.histories.move(call, projectId, async (now) => {
      if (branchOf(now.found) !== to) return refuse('too-much-contention');
      const again =
        JSON.stringify(now.found) === JSON.stringify(seen.found)
          ? merged
          : await this.mergedInto(call, projectId, now, { from, to });
      if ('conflicts' in again) return refuse('git-conflicts', { paths: again.conflicts });
      sha = again.sha;
      const repository = { ...now.repository, packs: again.packs };
      await this.histories.mustLoseNothing(now, repository, again.tree);
      const { type, data } = event(again);
      return {
        tree: again.tree,
        repository,
        message: `Merged ${from} into ${to}`,
        event: (applied) => ({ type, data: { ...data, ...applied } }),
      };
    });
    return { merged: true, sha };
  }

  /**
   * Creates a new commit with the files of an earlier one (Q-S104).
   * @throws Refusal
   */
  async rollBack(call: OperationContext, projectId: string, prefix: string) {
    const earlier = await this.repositories.recordedBy(call, projectId, 'GitRolledBack');
    if (earlier !== undefined) return { sha: earlier.event.data.sha };
    let sha = '';
    await this.histories.move(call, projectId, async (seen) => {
      const { found, repository, head } = seen;
      const branch = branchOf(found);
      if (head === undefined) return refuse('git-no-commits');
      const log = await this.repositories.asked((git) => git.log(repository, head, mostCommits));
      const to = log.find((one) => one.sha.startsWith(prefix))?.sha;
      if (to === undefined) return refuse('git-commit-not-found', { sha: prefix, branch });
      const tree = await this.repositories.treeOf(repository, to);
      await this.histories.mustLoseNothing(seen, repository, tree);
      const message = `Rolled back to ${to.slice(0, 7)}`;
      const written = await this.write(call, projectId, {
        repository,
        tree,
        contents: new Map(),
        parents: [head],
        message,
      });
      sha = written.sha;
      const data = { projectId, branch, sha, packs: written.packs, to };
      return {
        tree,
        repository: { ...repository, packs: written.packs },
        message,
        event: (applied) => ({ type: 'GitRolledBack', data: { ...data, ...applied } }),
      };
    });
    return { sha };
  }

  /**
   * Merges without changing content or branches. Returns the commit, or the paths with conflicts.
   * @throws Refusal
   */
  async mergedInto(
    call: OperationContext,
    projectId: string,
    { found, repository }: SeenRepository,
    { from, to }: Merging,
  ) {
    const [theirs, ours] = [headOf(found, from), headOf(found, to)];
    if (theirs === undefined) return refuse('git-branch-not-found', { branch: from });
    if (ours === undefined) return refuse('git-branch-not-found', { branch: to });
    return await this.joined(call, projectId, repository, { ours, theirs, message: `Merge ${from} into ${to}` });
  }

  /**
   * Creates a merge commit only if neither commit contains the other.
   * @throws Refusal git-unrelated, git-refused
   */
  async joined(
    call: OperationContext,
    projectId: string,
    repository: SeenRepository['repository'],
    { ours, theirs, message }: { readonly ours: string; readonly theirs: string; readonly message: string },
  ): Promise<Joined | { readonly conflicts: readonly string[] }> {
    const { base, behind } = await this.repositories.relation(repository, ours, theirs);
    if (base === undefined) return refuse('git-unrelated');
    const { packs } = repository;
    if (behind === 0)
      return { isThere: true, sha: ours, packs, tree: await this.repositories.treeOf(repository, ours) };
    const isAhead = base !== ours;
    if (!isAhead) {
      return { isThere: false, sha: theirs, packs, tree: await this.repositories.treeOf(repository, theirs) };
    }
    const { tree, contents, conflicts } = await this.histories.merged(repository, ours, theirs);
    if (conflicts.length > 0) return { conflicts };
    const written = await this.write(call, projectId, { repository, tree, contents, parents: [ours, theirs], message });
    return { isThere: false, tree, ...written };
  }

  private async write(
    call: OperationContext,
    projectId: string,
    { repository, tree, contents, parents, message }: Writing,
  ): Promise<{ readonly sha: string; readonly packs: readonly string[] }> {
    const about = await this.authors.of(call, projectId, message);
    const written = await this.repositories.asked((git) =>
      git.commit(repository, { tree, contents, parents, ...about }),
    );
    this.repositories.remember(repository, written.sha, tree);
    return written;
  }
}

interface Joined {
  readonly isThere: boolean;
  readonly sha: string;
  readonly packs: readonly string[];
  readonly tree: GitTree;
}

interface Writing {
  readonly repository: ReturnType<typeof repositoryOf>;
  readonly tree: GitTree;
  readonly contents: ReadonlyMap<string, Uint8Array>;
  readonly parents: readonly string[];
  readonly message: string;
}
