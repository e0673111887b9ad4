import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { isPersons } from '../../../kernel/callers/caller.js';
import { refuse } from '../sites.refusals.js';
import type { Snapshot } from '../snapshot/snapshot.record.js';
import { branchOf, headOf } from './git-repository.js';
import { Histories } from './histories.js';
import { HostBranches } from './host-branches.js';
import { Repositories } from './repositories.js';

@Injectable()
export class BranchSwitching {
  constructor(
    private readonly histories: Histories,
    private readonly repositories: Repositories,
    private readonly hosts: HostBranches,
    private readonly reads: Reads,
  ) {}

  async switchTo(call: OperationContext, projectId: string, name: string, discard: boolean) {
    if (discard && call.caller !== undefined) {
      if (!isPersons(call.caller.kind)) refuse('git-discard-refused');
      if (call.caller.neverDeletes) refuse('key-never-deletes', { operation: call.operation });
    }
    const earlier = await this.repositories.recordedBy(call, projectId, 'GitBranchSwitched');
    if (earlier !== undefined) {
      const { position, data } = earlier.event;
      return answered(name, data.discarded ? await this.newestSnapshot(call, projectId, position) : undefined);
    }
    const { found, changed } = await this.histories.see(call.workspaceId, projectId);
    if (name === branchOf(found) && headOf(found) !== undefined && changed.length === 0) return { branch: name };
    let snapshotId: string | undefined;
    await this.histories.move(call, projectId, async (seen) => {
      const { sha, repository } = await this.hosts.branchOr(seen, name);
      const tree = await this.repositories.treeOf(repository, sha);
      const paths = await this.histories.lostEdits(seen, { repository, tree, discards: discard });
      const discarded = paths.length > 0;
      if (discarded && !discard) refuse('git-uncommitted', { paths });
      // Every change records a snapshot, so the newest snapshot contains the edits that are about to be discarded.
      snapshotId = discarded ? await this.newestSnapshot(call, projectId) : undefined;
      const data = { projectId, branch: name, sha, packs: repository.packs, discarded };
      return {
        tree,
        repository,
        message: `Switched to the branch ${name}`,
        discards: discard,
        event: (applied) => ({ type: 'GitBranchSwitched', data: { ...data, ...applied } }),
      };
    });
    return answered(name, snapshotId);
  }

  /** Skips the snapshot that this call itself has recorded. */
  private async newestSnapshot(
    { workspaceId, commandId }: OperationContext,
    projectId: string,
    before?: number,
  ): Promise<string | undefined> {
    const found = await this.reads.find<Snapshot>(workspaceId, 'snapshots', {
      where: { projectId, ...(before === undefined ? {} : { position: { lt: before } }) },
      sort: [['position', 'desc']],
      limit: 2,
    });
    return found.find((one) => one.commandId !== commandId)?.id;
  }
}

const answered = (branch: string, snapshotId: string | undefined) => ({
  branch,
  ...(snapshotId === undefined ? {} : { snapshotId }),
});
