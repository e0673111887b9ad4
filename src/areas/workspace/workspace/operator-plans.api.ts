import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, operator } from '../../../engine/operation/calls.js';
import { setPlan } from './workspace.js';
import { type Plan, workspaces } from './workspace.record.js';

/** Sets a workspace's plan, which only the service's operator may do. */
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
