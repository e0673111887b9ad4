import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { updateSubdomain } from './project.js';
import type { ProjectRow } from './project.operations.js';
import { projectSubdomain, projects } from './project.record.js';
import { ProjectView } from './project-view.js';
import { wrongSubdomain } from './site-address.js';
import { UpdateSubdomain } from './subdomain.operations.js';

/** Takes the new address in the same append that names it, so that two sites never have one. */
@CommandHandler(UpdateSubdomain)
export class UpdateSubdomainHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly view: ProjectView,
  ) {}

  async execute(input: UpdateSubdomain): Promise<ProjectRow> {
    const call = callOf(input);
    const { id, subdomain } = input;
    const wrong = wrongSubdomain(subdomain);
    if (wrong !== undefined) refuseInput([{ path: 'subdomain', message: wrong }]);
    const reservation = projectSubdomain(subdomain, streamOf(projects.category, call.workspaceId, id));
    const after = await this.runner.change(call, {
      aggregate: projects,
      id,
      decide: (project) => updateSubdomain(project ?? projects.missing(), subdomain),
      reserves: () => [{ reservation, taken: () => refuse('subdomain-taken', { subdomain }) }],
    });
    return this.view.row(after ?? projects.missing());
  }
}
