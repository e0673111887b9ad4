import { Injectable } from '@nestjs/common';
import { WhileUnchanged } from '../../../engine/read-models/while-unchanged.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import type { MadeAsset } from '../../../ports/offloaded/site-builder.port.js';
import type { Project } from '../project/project.record.js';
import { manifestOf, type Publication, retiredMs } from './publication.record.js';
import { RetiredAssets } from './retired-assets.js';
import { type AssetForm, type ByteRange, SiteAssetBlobs } from './site-asset-blobs.js';
import type { SiteManifest } from './site-manifest.js';
import { SiteManifests } from './site-manifests.js';
import { SitePreviews } from './site-previews.js';

export type { AssetForm, ByteRange } from './site-asset-blobs.js';
export type { PublishedPage, SiteManifest } from './site-manifest.js';

type Which = Pick<Project, 'workspaceId' | 'id'>;

/**
 * The deployments of sites and the bytes of their assets. A switch applies from the next request on. A deployment is
 * returned as the same object while it is in use.
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

  /**
   * Returns the deployment that visitors see, or undefined if the site is not published. @throws AssetGone,
   * BlobsUnavailable
   */
  async live(project: Which): Promise<SiteManifest | undefined> {
    const found = await this.find(project);
    const digest = found && manifestOf(found, found.live);
    return digest === undefined ? undefined : this.manifests.open(project.workspaceId, digest);
  }

  /**
   * Those of the last 24 hours that have an asset of this name, newest first, each opened when it is asked for; of those
   * that give it to the same pages, the newest alone. None while the site is not published.
   * @throws AssetGone, BlobsUnavailable
   */
  async *earlier({ workspaceId, id: projectId }: Which, name: string): AsyncGenerator<SiteManifest> {
    const found = await this.find({ workspaceId, id: projectId });
    if (!found?.live) return;
    const since = new Date(this.clock.now() - retiredMs).toISOString();
    const retired = found.retired.flatMap(({ manifest, at }) => (at >= since ? [manifest] : []));
    for (const digest of await this.retired.having({ workspaceId, projectId }, name, retired)) {
      yield await this.manifests.open(workspaceId, digest);
    }
  }

  /** Undefined also while the site is not published. @throws AssetGone, BlobsUnavailable */
  async release(project: Which, version: string): Promise<SiteManifest | undefined> {
    const found = await this.find(project);
    if (!found?.live || !Object.hasOwn(found.releases, version)) return undefined;
    return this.manifests.open(project.workspaceId, found.releases[version]?.manifest ?? '');
  }

  /** The content as it is now, without HTML of pages. @throws SiteBuildFailed, SiteBuilderBusy, BlobsUnavailable */
  preview(project: Project): Promise<SiteManifest> {
    return this.previews.of(project);
  }

  /** Returns all bytes of a small form that was requested recently, or undefined if they have to be read. */
  keptBytes({ workspaceId }: Which, asset: MadeAsset, form: AssetForm): Uint8Array | undefined {
    return this.assets.keptOf(workspaceId, asset, form);
  }

  /** In pieces of 1 MB at most. @throws AssetGone, BlobsUnavailable */
  bytes({ workspaceId }: Which, asset: MadeAsset, form: AssetForm, range?: ByteRange): AsyncIterable<Uint8Array> {
    return this.assets.bytesOf(workspaceId, asset, form, range);
  }

  private find({ workspaceId, id }: Which): Promise<Publication | undefined> {
    const read = () => this.reads.get<Publication>(workspaceId, 'publications', id);
    return this.unchanged.of(`publication ${workspaceId}/${id}`, read);
  }
}
