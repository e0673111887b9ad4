import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { platformPackages } from '../../../kernel/site-imports.js';
import type { Component } from '../component/component.record.js';
import type { Page } from '../page/page.record.js';
import { projects } from '../project/project.record.js';
import { ModuleFactsReader } from './module-facts.js';
import { filesOf, wrongNames } from './source-files.js';
import { tooMuch, warningsOf } from './source-warnings.js';
import { type BuildCheck, VerifyBuild } from './verify-build.operations.js';

const mostWarnings = 1_000;

@QueryHandler(VerifyBuild)
export class VerifyBuildHandler {
  constructor(
    private readonly reads: Reads,
    private readonly modules: ModuleFactsReader,
  ) {}

  async execute(input: VerifyBuild): Promise<BuildCheck> {
    const call = callOf(input);
    const { workspaceId } = call;
    const project = await this.reads.one(call, projects, input.projectId);
    const where = { projectId: project.id };
    const pages = await this.reads.find<Page>(workspaceId, 'pages', { where, sort: [['sortOrder', 'asc']] });
    const components = await this.reads.find<Component>(workspaceId, 'components', { where });
    const files = filesOf(pages, components);
    const known = {
      components: new Set(components.map(({ name }) => name)),
      globals: new Set(components.filter(({ isGlobal }) => isGlobal).map(({ name }) => name)),
      packages: new Set([...platformPackages, ...Object.keys(project.dependencies)]),
    };
    const facts = await this.modules.of(
      workspaceId,
      files.map(({ content }) => content),
    );
    const faults = files.flatMap(({ file }, index) => {
      const found = facts[index];
      return found === undefined ? [tooMuch(file)] : warningsOf(file, found, known);
    });
    const warnings = [...wrongNames(components), ...faults];
    const breaking = new Set(files.filter(({ isPublished }) => isPublished).map(({ file }) => file));
    return { ok: !warnings.some(({ file }) => breaking.has(file)), warnings: warnings.slice(0, mostWarnings) };
  }
}
