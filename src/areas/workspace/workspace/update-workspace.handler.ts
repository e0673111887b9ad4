import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Credits, creditsLeft } from '../credits/credits.record.js';
import { renameWorkspace } from './workspace.js';
import { UpdateWorkspace, type WorkspaceRecord, workspaceRecord } from './workspace.operations.js';
import { workspaces } from './workspace.record.js';

/** Needs a handler because the answer depends on the caller, whom a plain rule does not see. */
@CommandHandler(UpdateWorkspace)
export class UpdateWorkspaceHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  async execute(input: UpdateWorkspace): Promise<WorkspaceRecord> {
    const call = callOf(input);
    const renamed = await this.runner.change(call, {
      aggregate: workspaces,
      id: call.workspaceId,
      decide: (workspace) => (workspace && input.name !== undefined ? renameWorkspace(workspace, input.name) : []),
    });
    const credits = await this.reads.get<Credits>(call.workspaceId, 'credits', call.workspaceId);
    return renamed ? workspaceRecord(renamed, creditsLeft(credits, call.at), call) : workspaces.missing();
  }
}
