import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, operator } from '../../../engine/operation/calls.js';
import { setPlan } from './workspace.js';
import { type Plan, workspaces } from './workspace.record.js';

@Injectable()
export class OperatorPlans {
  constructor(
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
  ) {}

  async set(workspaceId: string, plan: Plan): Promise<void> {
    await this.runner.change(this.calls.once(workspaceId, operator, 'workspace/setPlan'), {
      aggregate: workspaces,
      id: workspaceId,
      decide: (workspace) => (workspace ? setPlan(workspace, plan) : []),
    });
  }
}
