import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import {
  type BuiltPage,
  type MadeAsset,
  type SiteAsset,
  SiteBuilder,
  type SiteSources,
} from '../../../ports/offloaded/site-builder.port.js';
import { termsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { analyticsOf } from '../analytics/analytics-settings.record.js';
import type { Page } from '../page/page.record.js';
import type { Project } from '../project/project.record.js';
import { PageRendering, type Rendered } from './page-rendering.js';
import type { PublishStage, UnrenderedPage } from './publication.record.js';
import { SiteAssetBlobs } from './site-asset-blobs.js';
import type { PublishedPage, SiteManifest } from './site-manifest.js';
import { SiteManifests } from './site-manifests.js';
import type { SiteContent } from './site-sources.js';

export interface RequestedBuild {
  readonly content: SiteContent;
  readonly sources: Omit<SiteSources, 'known'>;
  /**
   * Unchanged assets and HTML are reused from these manifests. Their assets remain stored at least until this build
   * ends.
   */
  readonly earlier: readonly SiteManifest[];
  readonly reached: (stage: PublishStage, done: number) => void;
}

export interface StoredBuild {
  readonly manifest: SiteManifest;
  readonly digest: string;
  readonly bytes: number;
  readonly unrendered: readonly UnrenderedPage[];
}

const mostUnrendered = 50;

/** Builds a site. The assets are stored before the manifest that names them. */
@Injectable()
export class SiteBuilds {
  constructor(
    private readonly builder: SiteBuilder,
    private readonly reads: Reads,
    private readonly rendering: PageRendering,
    private readonly assets: SiteAssetBlobs,
    private readonly manifests: SiteManifests,
  ) {}

  /**
   * Idempotent.
   * @throws SiteBuildFailed, SiteBuilderBusy, BlobsUnavailable
   */
  async make({ content, sources, earlier, reached }: RequestedBuild): Promise<StoredBuild> {
    const { workspaceId, projectId } = sources;
    const made = (asset: SiteAsset, bytes: Parameters<SiteAssetBlobs['store']>[2]) =>
      this.assets.store(workspaceId, asset, bytes);
    const build = await this.builder.build({ ...sources, known: knownOf(earlier) }, { reached, made });
    reached('deploying', 0);
    const rendered = await this.rendering.of({
      workspaceId,
      projectId,
      build,
      known: renderedOf(earlier),
      done: (part) => reached('deploying', part),
    });
    const pages = new Map(content.pages.map((page) => [page.id, page]));
    const manifest: SiteManifest = {
      pages: build.pages.map((built) => publishedPage(built, pages.get(built.id), rendered.get(built.id))),
      assets: build.assets,
      start: build.start,
      site: siteOf(content.project, await this.isFree(workspaceId)),
    };
    const { digest, bytes } = await this.manifests.store(workspaceId, manifest);
    const unrendered = manifest.pages.flatMap(({ path, unrendered: why }) =>
      why === undefined ? [] : [{ path, why }],
    );
    return {
      manifest,
      digest,
      bytes: build.assets.reduce((sum, { size }) => sum + size, bytes),
      unrendered: unrendered.slice(0, mostUnrendered),
    };
  }

  private async isFree(workspaceId: string): Promise<boolean> {
    return (await termsOf(this.reads, workspaceId)).plan === 'free';
  }
}

const knownOf = (earlier: readonly SiteManifest[]): ReadonlyMap<string, MadeAsset> =>
  new Map(earlier.flatMap(({ assets }) => assets.map((asset) => [asset.key, asset] as const)));

const renderedOf = (earlier: readonly SiteManifest[]): ReadonlyMap<string, string> =>
  new Map(
    earlier.flatMap(({ pages }) =>
      pages.flatMap(({ htmlKey, html }) =>
        htmlKey === undefined || html === undefined ? [] : [[htmlKey, html] as const],
      ),
    ),
  );

function publishedPage(
  { id, path, script, imports, styles }: BuiltPage,
  page: Page | undefined,
  rendered: Rendered | undefined,
): PublishedPage {
  const { title = null, description = null, redirectIfUnauth = null } = page ?? {};
  const { key: htmlKey, ...html } = rendered ?? {};
  return {
    id,
    path,
    title,
    description,
    redirectIfUnauth,
    script,
    imports,
    styles,
    ...(htmlKey === undefined ? {} : { htmlKey }),
    ...html,
  };
}

/** Free workspaces cannot switch off the service's badge on their sites (Sites API, updateProject). */
const siteOf = (project: Project, isFree: boolean): SiteManifest['site'] => ({
  name: project.name,
  description: project.description,
  logo: project.logo,
  favicon: project.favicon,
  color: project.color,
  appIcon: project.appIcon,
  appDisplayName: project.appDisplayName,
  orientation: project.orientation,
  pwaEnabled: project.pwaEnabled,
  showServiceBranding: isFree || project.showServiceBranding,
  analytics: analyticsOf(project),
});
