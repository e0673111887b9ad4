import { Injectable } from '@nestjs/common';
import { WhileUnchanged } from '../../../engine/read-models/while-unchanged.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import type { MadeAsset } from '../../../ports/offloaded/site-builder.port.js';
import type { Project } from '../project/project.record.js';
import { manifestOf, retiredMs, type SitePublication } from './publication.record.js';
import { RetiredAssets } from './retired-assets.js';
import { type AssetForm, type ByteRange, SiteAssetBlobs } from './site-asset-blobs.js';
import type { SiteManifest } from './site-manifest.js';
import { SiteManifests } from './site-manifests.js';
import { SitePreviews } from './site-previews.js';

export { type AssetForm, AssetGone, type ByteRange } from './site-asset-blobs.js';
export type { PublishedPage, SiteManifest } from './site-manifest.js';

type SiteIds = Pick<Project, 'workspaceId' | 'id'>;

/**
 * A newly published deployment is served from the next request on. While a manifest is in memory, it is always the same
 * object, so callers can cache values that they derive from it.
 */
@Injectable()
export class ServedDeployments {
  constructor(
    private readonly reads: Reads,
    private readonly manifests: SiteManifests,
    private readonly retired: RetiredAssets,
    private readonly assets: SiteAssetBlobs,
    private readonly previews: SitePreviews,
    private readonly clock: Clock,
    private readonly unchanged: WhileUnchanged,
  ) {}

  /** @throws AssetGone, BlobsUnavailable */
  async live(project: SiteIds): Promise<SiteManifest | undefined> {
    const found = await this.find(project);
    const digest = found && manifestOf(found, found.live);
    return digest === undefined ? undefined : this.manifests.open(project.workspaceId, digest);
  }

  /**
   * Yields deployments that were live within the last 24 hours and have the asset, newest first. If several serve it to
   * the same pages, only the newest is included.
   * @throws AssetGone, BlobsUnavailable
   */
  async *earlier({ workspaceId, id: projectId }: SiteIds, name: string): AsyncGenerator<SiteManifest> {
    const found = await this.find({ workspaceId, id: projectId });
    if (!found?.live) return;
    const since = new Date(this.clock.now() - retiredMs).toISOString();
    const retired = found.retired.flatMap(({ manifest, at }) => (at >= since ? [manifest] : []));
    for (const digest of await this.retired.having({ workspaceId, projectId }, name, retired)) {
      yield await this.manifests.open(workspaceId, digest);
    }
  }

  /** @throws AssetGone, BlobsUnavailable */
  async release(project: SiteIds, version: string): Promise<SiteManifest | undefined> {
    const found = await this.find(project);
    if (!found?.live || !Object.hasOwn(found.releases, version)) return undefined;
    return this.manifests.open(project.workspaceId, found.releases[version]?.manifest ?? '');
  }

  /**
   * Returns a build of the project's current content. Pages are not rendered to HTML.
   * @throws SiteBuildFailed, SiteBuilderBusy, BlobsUnavailable
   */
  preview(project: Project): Promise<SiteManifest> {
    return this.previews.of(project);
  }

  /** Only small assets that were requested recently are cached. */
  cachedBytes({ workspaceId }: SiteIds, asset: MadeAsset, form: AssetForm): Uint8Array | undefined {
    return this.assets.cachedBytes(workspaceId, asset, form);
  }

  /**
   * Yields pieces of at most 1 MB. A compressed form can be gone although the plain one is stored.
   * @throws AssetGone, BlobsUnavailable
   */
  bytes({ workspaceId }: SiteIds, asset: MadeAsset, form: AssetForm, range?: ByteRange): AsyncIterable<Uint8Array> {
    return this.assets.bytesOf(workspaceId, asset, form, range);
  }

  private find({ workspaceId, id }: SiteIds): Promise<SitePublication | undefined> {
    const read = () => this.reads.get<SitePublication>(workspaceId, 'publications', id);
    return this.unchanged.cached(`publication ${workspaceId}/${id}`, read);
  }
}
