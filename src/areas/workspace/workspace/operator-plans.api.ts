import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, operator } from '../../../engine/operation/calls.js';
import { setPlan } from './workspace.js';
import { type Plan, workspaces } from './workspace.record.js';

/** Sets the plan of a workspace. Only the service's operator can do this. */
@Injectable()
export class OperatorPlans {
  constructor(
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
  ) {}

  /** @throws Refusal workspace-not-found */
  async set(workspaceId: string, plan: Plan): Promise<void> {
    await this.runner.change(this.calls.once(workspaceId, operator, 'workspace/setPlan'), {
      aggregate: workspaces,
      id: workspaceId,
      decide: (workspace) => (workspace ? setPlan(workspace, plan) : []),
    });
  }
}
