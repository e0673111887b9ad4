import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { workspaces } from './workspace.events.js';
import { renameWorkspace } from './workspace.js';
import { UpdateWorkspace, type WorkspaceRecord } from './workspace.operations.js';
import { workspaceRecord } from './workspace-view.js';

/** The answer shows who asked, which a plain rule is not told. */
@CommandHandler(UpdateWorkspace)
export class UpdateWorkspaceHandler {
  constructor(private readonly runner: CommandRunner) {}

  async execute(input: UpdateWorkspace): Promise<WorkspaceRecord> {
    const call = callOf(input);
    const renamed = await this.runner.change(call, {
      aggregate: workspaces,
      id: call.workspaceId,
      decide: (workspace) => (workspace && input.name !== undefined ? renameWorkspace(workspace, input.name) : []),
    });
    return renamed ? workspaceRecord(renamed, call) : workspaces.missing();
  }
}
