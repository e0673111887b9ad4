import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { isPersons } from '../../../kernel/callers/caller.js';
import { refuse } from '../sites.refusals.js';
import { PastContent } from '../snapshot/past-content.api.js';
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
    private readonly past: PastContent,
  ) {}

  async switchTo(call: OperationContext, projectId: string, name: string, discard: boolean) {
    if (discard && call.caller !== undefined) {
      if (!isPersons(call.caller.kind)) refuse('git-discard-refused');
      if (call.caller.neverDeletes) refuse('key-never-deletes', { operation: call.operation });
    }
    // After a crash, an earlier attempt can have saved the snapshot and discarded edits without having switched.
    const savedBefore = await this.past.savedBy(call, projectId);
    const earlier = await this.repositories.recordedBy(call, projectId, 'GitBranchSwitched');
    if (earlier !== undefined) return answered(name, savedBefore);
    const { found, changed } = await this.histories.see(call.workspaceId, projectId);
    if (name === branchOf(found) && headOf(found) !== undefined && changed.length === 0) {
      return answered(name, savedBefore);
    }
    const snapshotId = savedBefore ?? call.newId('snap');
    let discarded = savedBefore !== undefined;
    await this.histories.move(call, projectId, async (seen) => {
      const { sha, repository } = await this.hosts.branchOr(seen, name);
      const tree = await this.repositories.treeOf(repository, sha);
      const paths = await this.histories.lostEdits(seen, { repository, tree, discards: discard });
      if (paths.length > 0 && !discard) refuse('git-uncommitted', { paths });
      discarded ||= paths.length > 0;
      const data = { projectId, branch: name, sha, packs: repository.packs, discarded };
      const saves = { snapshotId, message: `Before the switch to the branch ${name}` };
      return {
        tree,
        repository,
        message: `Switched to the branch ${name}`,
        discards: discard,
        saves: discarded && savedBefore === undefined ? saves : undefined,
        event: (applied) => ({ type: 'GitBranchSwitched', data: { ...data, ...applied } }),
      };
    });
    return answered(name, discarded ? snapshotId : undefined);
  }
}

const answered = (branch: string, snapshotId: string | undefined) => ({
  branch,
  ...(snapshotId === undefined ? {} : { snapshotId }),
});
