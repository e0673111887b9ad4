import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Component } from '../component/component.record.js';
import type { Page } from '../page/page.record.js';
import { projects } from '../project/project.record.js';
import { BuildChecks } from './build-checks.api.js';
import { BuildCheck, VerifyBuild } from './verify-build.operations.js';

const mostWarnings = 1_000;

@QueryHandler(VerifyBuild)
export class VerifyBuildHandler {
  constructor(
    private readonly reads: Reads,
    private readonly checks: BuildChecks,
  ) {}

  async execute(input: VerifyBuild): Promise<BuildCheck> {
    const call = callOf(input);
    const { workspaceId } = call;
    const project = await this.reads.one(call, projects, input.projectId);
    const where = { projectId: project.id };
    const pages = await this.reads.find<Page>(workspaceId, 'pages', { where, sort: [['sortOrder', 'asc']] });
    const components = await this.reads.find<Component>(workspaceId, 'components', { where });
    const warnings = await this.checks.of(workspaceId, { project, pages, components });
    const ok = !warnings.some(({ breaks }) => breaks);
    return shown(BuildCheck, { ok, warnings: warnings.slice(0, mostWarnings) });
  }
}
