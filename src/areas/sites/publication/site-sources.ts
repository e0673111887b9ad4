import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { Blobs } from '../../../ports/blobs.port.js';
import type { ResolvedPackage } from '../../../ports/network/packages.port.js';
import { type PageSource, SiteBuildFailed, type SiteSources } from '../../../ports/offloaded/site-builder.port.js';
import { themeOf } from '../brand-theme.js';
import { BuildChecks } from '../build/build-checks.api.js';
import { componentFile, pageFile } from '../build/source-files.api.js';
import type { Component } from '../component/component.record.js';
import { packageBlob } from '../packages/package-blobs.api.js';
import type { Page } from '../page/page.record.js';
import { type Project, projects } from '../project/project.record.js';
import { type ContentKind, contentKindOf } from '../snapshot/content-kinds.api.js';
import { PastContent } from '../snapshot/past-content.api.js';

export interface ContentAt {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly position: number;
}

export interface SiteContent {
  readonly project: Project;
  readonly pages: readonly Page[];
  readonly components: readonly Component[];
}

/** Reads content as of a position in the log, so later saves are not included. */
@Injectable()
export class SiteSourcesReader {
  constructor(
    private readonly loader: AggregateLoader,
    private readonly past: PastContent,
    private readonly texts: RecordTexts,
    private readonly checks: BuildChecks,
    private readonly blobs: Blobs,
  ) {}

  /**
   * @param project the project whose settings the build uses: as of the position for a publish, as of now for a preview
   */
  async contentAt(at: ContentAt, project: Project): Promise<SiteContent> {
    const pages = (await this.records<Page>(at, 'page')).filter(isPublished);
    const components = await this.records<Component>(at, 'component');
    return { project, pages: pages.toSorted(by('path')), components: components.toSorted(by('name')) };
  }

  /** Undefined if the project did not exist at that position. */
  async projectAt({ workspaceId, projectId, position }: ContentAt): Promise<Project | undefined> {
    return (await all(this.loader.at(projects, workspaceId, [projectId], position)))[0];
  }

  /**
   * Makes the same checks as `verifyBuild`.
   * @param isOpen decides which pages are rendered to HTML
   * @throws SiteBuildFailed
   */
  async sourcesOf(
    { project, pages, components }: SiteContent,
    isOpen: (page: Page) => boolean,
  ): Promise<Omit<SiteSources, 'known'>> {
    const { workspaceId, id: projectId } = project;
    if (pages.length === 0) {
      throw new SiteBuildFailed(
        'The site has no page to publish: every page is a draft, inactive or without content. Write one with updatePage.',
      );
    }
    const breaking = await this.checks.breaking(workspaceId, { pages, components, project });
    if (breaking !== undefined) throw new SiteBuildFailed(breaking.message, breaking.file, breaking.line);
    const packages = await this.packagesOf(project);
    const read = await this.texts.read(
      workspaceId,
      [...pages, ...components].map(({ content }) => content),
    );
    const wrapping = components.find(({ name, type }) => name === 'Layout' && type === 'layout')?.name ?? null;
    return {
      workspaceId,
      projectId,
      pages: pages.map((page): PageSource => {
        const { id, path, layout, content } = page;
        return {
          id,
          path,
          file: pageFile(page),
          source: read(content),
          layout: layout === null ? wrapping : layout === noLayout ? null : layout,
          isOpen: isOpen(page),
        };
      }),
      components: components
        .filter(({ content }) => content !== '')
        .map((one) => ({
          name: one.name,
          file: componentFile(one),
          source: read(one.content),
          isGlobal: one.isGlobal,
        })),
      theme: themeOf(project).tokens,
      dependencies: Object.keys(project.dependencies),
      packages,
      archive: async (integrity) =>
        (await this.blobs.open(packageBlob(workspaceId, integrity))) ??
        fail(`A package is no longer stored (${integrity.slice(0, 20)}…). Call bundleDeps, then publish again.`),
    };
  }

  private async records<Doc>(at: ContentAt, category: string): Promise<readonly Doc[]> {
    const kind = contentKindOf(category) as ContentKind;
    const snapshot = { ...at, id: '', commandId: '', kind: 'change', label: null, createdAt: '', files: [] } as const;
    const asked = { ...snapshot, author: { kind: 'system', id: '', name: '' } } as const;
    const ids = await this.past.idsAt(asked, category);
    return (await all(this.past.at(asked, kind, ids))) as unknown as readonly Doc[];
  }

  private async packagesOf({ workspaceId, dependencies, locked }: Project): Promise<readonly ResolvedPackage[]> {
    if (Object.keys(dependencies).length === 0) return [];
    if (locked === null || JSON.stringify(locked.dependencies) !== JSON.stringify(dependencies)) {
      return fail(
        'The dependencies were changed and have not been bundled since. Call bundleDeps, then publish again.',
      );
    }
    const read = await this.texts.read(workspaceId, [locked.lock]);
    return JSON.parse(read(locked.lock)) as readonly ResolvedPackage[];
  }
}

const noLayout = 'none';

const isPublished = ({ active, isDraft, content }: Page) => active && !isDraft && content !== '';

const by =
  <Field extends string>(field: Field) =>
  (one: { readonly [Name in Field]: string }, other: { readonly [Name in Field]: string }) =>
    one[field] < other[field] ? -1 : 1;

function fail(message: string): never {
  throw new SiteBuildFailed(message);
}

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
