import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import {
  GetProject,
  GetProjectDeleteInfo,
  ListProjects,
  type ProjectDeleteInfo,
  type ProjectDetails,
  type ProjectRow,
} from './project.operations.js';
import { type Project, projects } from './project.record.js';
import { ProjectView } from './project-view.js';

@QueryHandler(ListProjects)
export class ListProjectsHandler {
  constructor(
    private readonly reads: Reads,
    private readonly view: ProjectView,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: ListProjects): Promise<readonly ProjectRow[]> {
    const { kind = 'site' } = input;
    const call = callOf(input);
    const { workspaceId } = call;
    const found = await this.reads.find<Project>(workspaceId, 'projects', {
      ...(kind === 'all' ? {} : { where: { isApp: kind === 'app' } }),
      sort: [['createdAt', 'asc']],
    });
    return this.view.rows(workspaceId, await this.scopes.allowed(call, found, projects));
  }
}

@QueryHandler(GetProject)
export class GetProjectHandler {
  constructor(private readonly view: ProjectView) {}

  execute(input: GetProject): Promise<ProjectDetails> {
    return this.view.details(callOf(input), input.id);
  }
}

@QueryHandler(GetProjectDeleteInfo)
export class GetProjectDeleteInfoHandler {
  constructor(private readonly view: ProjectView) {}

  execute(input: GetProjectDeleteInfo): Promise<ProjectDeleteInfo> {
    return this.view.deleteInfo(callOf(input), input.id);
  }
}
