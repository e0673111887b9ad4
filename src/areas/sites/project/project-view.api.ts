import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { showsFields } from '../../../engine/records/record-views.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Base } from '../../bases/base/base.record.js';
import { TableView } from '../../bases/table/table-view.api.js';
import type { Component } from '../component/component.record.js';
import type { Page } from '../page/page.record.js';
import { SiteOrigins } from './addresses/site-origins.api.js';
import { type Project, projects } from './project.record.js';
import type { ProjectCounts } from './project-counts.record.js';
import { type LinkedBase, type ProjectDeleteInfo, ProjectFacts, type ProjectRow } from './project-shapes.api.js';

@Injectable()
export class ProjectView {
  constructor(
    private readonly reads: Reads,
    private readonly tables: TableView,
    private readonly origins: SiteOrigins,
  ) {}

  async row(project: Project): Promise<ProjectRow> {
    return { ...project, ...(await this.counts(project)) };
  }

  async rows(workspaceId: string, projects: readonly Project[]): Promise<readonly ProjectRow[]> {
    const all = await this.reads.find<ProjectCounts>(workspaceId, 'projectCounts');
    const counts = new Map(all.map((one) => [one.id, one]));
    return projects.map((project) => ({ ...project, ...countsOf(counts.get(project.id)) }));
  }

  async details(call: OperationContext, id: string): Promise<ProjectFacts> {
    const project = await this.reads.one(call, projects, id);
    const { workspaceId } = project;
    const where = { projectId: id };
    const [pages, components, linkedBase] = await Promise.all([
      this.reads.find<Page>(workspaceId, 'pages', { where, sort: [['sortOrder', 'asc']] }),
      this.reads.find<Component>(workspaceId, 'components', { where, sort: [['createdAt', 'asc']] }),
      this.baseOf(project),
    ]);
    const counts = { pageCount: pages.length, componentCount: components.length };
    const facts = { ...project, ...counts, pages, components, linkedBase };
    const publishedUrl = project.published === null ? null : await this.origins.urlOf(project);
    return { ...facts, ...detailsOf(project), publishedUrl };
  }

  async deleteInfo(call: OperationContext, id: string): Promise<ProjectDeleteInfo> {
    const project = await this.reads.one(call, projects, id);
    const [counts, appUserCount, tables, linkedBase] = await Promise.all([
      this.counts(project),
      this.reads.count(project.workspaceId, 'appUsers', { projectId: id }),
      this.tables.counted(project.workspaceId, id),
      this.baseOf(project),
    ]);
    return { ...project, ...counts, appUserCount, ...tables, linkedBase };
  }

  private async counts({ workspaceId, id }: Project) {
    return countsOf(await this.reads.get<ProjectCounts>(workspaceId, 'projectCounts', id));
  }

  private async baseOf({ workspaceId, linkedBaseId, name }: Project): Promise<LinkedBase> {
    const base = await this.reads.get<Base>(workspaceId, 'bases', linkedBaseId);
    return { id: linkedBaseId, name: base?.name ?? name };
  }
}

const detailsOf = (project: Project) => ({
  auth: project,
  analytics: project,
  isPublished: project.published !== null,
});

showsFields(projects, ProjectFacts, 'view', detailsOf);

const countsOf = (counts: ProjectCounts | undefined) => ({
  pageCount: counts?.pages ?? 0,
  componentCount: counts?.components ?? 0,
});
