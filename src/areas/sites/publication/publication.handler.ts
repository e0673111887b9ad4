import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { alongside } from '../../../engine/commands/alongside.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { projects } from '../project/project.record.js';
import { markPublished, markUnpublished } from '../project/published-project.api.js';
import { rollBack, startPublish, unpublish } from './publication.js';
import {
  DeploymentRow,
  GetPublishStatus,
  ListDeployments,
  Publish,
  PublishStatus,
  RollBackPublish,
  Unpublish,
} from './publication.operations.js';
import { type Publication, publications } from './publication.record.js';
import { rowsOf, statusOf } from './publication-view.js';
import { SiteSourcesReader } from './site-sources.js';

@CommandHandler(Publish)
export class PublishHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  async execute(input: Publish): Promise<{ readonly started: true; readonly deploymentId: string }> {
    const call = callOf(input);
    const { id: projectId } = await this.reads.one(call, projects, input.id);
    const deploymentId = call.newId('dep');
    const { releaseVersion = null } = input;
    await this.runner.change(call, {
      aggregate: publications,
      id: projectId,
      begins: 'perhaps',
      decide: (before) => startPublish(before, { projectId, deploymentId, releaseVersion }),
    });
    return { started: true, deploymentId };
  }
}

@CommandHandler(Unpublish)
export class UnpublishHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  async execute(input: Unpublish): Promise<{ readonly success: true }> {
    const call = callOf(input);
    const { id } = await this.reads.one(call, projects, input.id);
    await this.runner.change(call, {
      aggregate: publications,
      id,
      decide: (before) => unpublish(before ?? publications.missing()),
      alongside: () => [alongside({ aggregate: projects, id, decide: markUnpublished })],
    });
    return { success: true };
  }
}

@CommandHandler(RollBackPublish)
export class RollBackPublishHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly sources: SiteSourcesReader,
  ) {}

  async execute(input: RollBackPublish): Promise<{ readonly success: true }> {
    const call = callOf(input);
    const { workspaceId } = call;
    const { projectId: id, deploymentId } = input;
    const found = await this.runner.find(publications, workspaceId, id);
    const position = found?.deployments.find((one) => one.id === deploymentId)?.position;
    const as =
      position === undefined ? undefined : await this.sources.projectAt({ workspaceId, projectId: id, position });
    await this.runner.change(call, {
      aggregate: publications,
      id,
      begins: 'perhaps',
      decide: (before) => rollBack(before, deploymentId),
      alongside: () =>
        as === undefined
          ? []
          : [alongside({ aggregate: projects, id, decide: (now) => markPublished(now, as, call.at) })],
    });
    return { success: true };
  }
}

@QueryHandler(GetPublishStatus)
export class GetPublishStatusHandler {
  constructor(private readonly reads: Reads) {}

  async execute(input: GetPublishStatus): Promise<PublishStatus | null> {
    const { workspaceId } = callOf(input);
    const found = await this.reads.get<Publication>(workspaceId, 'publications', input.projectId);
    const status = found && statusOf(found);
    return status ? shown(PublishStatus, status) : null;
  }
}

@QueryHandler(ListDeployments)
export class ListDeploymentsHandler {
  constructor(private readonly reads: Reads) {}

  async execute(input: ListDeployments): Promise<readonly DeploymentRow[]> {
    const { workspaceId } = callOf(input);
    const { projectId, limit = 50, before } = input;
    const found = await this.reads.get<Publication>(workspaceId, 'publications', projectId);
    const rows = found ? rowsOf(found) : [];
    const from = before === undefined ? 0 : rows.findIndex(({ id }) => id === before) + 1;
    const isUnknown = before !== undefined && from === 0;
    return isUnknown ? [] : rows.slice(from, from + limit).map((row) => shown(DeploymentRow, row));
  }
}

showsAs(publications, (publication) => ({
  projectId: publication.projectId,
  live: publication.live,
  liveSince: publication.liveSince,
  releases: Object.keys(publication.releases),
  status: statusOf(publication),
  deployments: rowsOf(publication).map((row) => shown(DeploymentRow, row)),
}));

export const publicationHandlers = [
  PublishHandler,
  UnpublishHandler,
  RollBackPublishHandler,
  GetPublishStatusHandler,
  ListDeploymentsHandler,
];
