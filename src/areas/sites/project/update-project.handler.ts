import { CommandHandler } from '@nestjs/cqrs';
import { Environment } from '../../../config/environment.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { termsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { projects } from './project.record.js';
import { type UpdatedProject, UpdateProject } from './project-settings.operations.js';
import { republishOf, updateProject } from './update-project.js';

@CommandHandler(UpdateProject)
export class UpdateProjectHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly environment: Environment,
  ) {}

  async execute(input: UpdateProject): Promise<UpdatedProject> {
    const call = callOf(input);
    const { id, ...sent } = input;
    const { plan } = await termsOf(this.reads, call.workspaceId);
    const about = { plan, upgradeUrl: this.environment.upgradeUrl };
    const changed = await this.runner.change(call, {
      aggregate: projects,
      id,
      decide: (project) => updateProject(project ?? projects.missing(), sent, about),
    });
    const project = changed ?? projects.missing();
    return { id, name: project.name, ...republishOf(project, sent) };
  }
}
