import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import type { MadeAsset } from '../../../ports/site-builder.port.js';
import type { Project } from '../project/project.record.js';
import { manifestOf, type Publication, retiredMs } from './publication.record.js';
import { type AssetEncoding, type ByteRange, SiteAssetBlobs } from './site-asset-blobs.api.js';
import type { SiteManifest } from './site-manifest.js';
import { SiteManifests } from './site-manifests.api.js';

type Which = Pick<Project, 'workspaceId' | 'id'>;

/** The deployment that visitors see. */
export interface LiveSite {
  readonly deploymentId: string;
  readonly manifest: SiteManifest;
}

/** How many of the newest deployments a build may take assets from. */
const taken = 3;

/** What visitors are served of published sites. A switch counts from the next question on. */
@Injectable()
export class SiteDeployments {
  constructor(
    private readonly reads: Reads,
    private readonly manifests: SiteManifests,
    private readonly assets: SiteAssetBlobs,
    private readonly clock: Clock,
  ) {}

  /** Null: the site is not published. @throws AssetGone, BlobsUnavailable */
  async live(project: Which): Promise<LiveSite | null> {
    const found = await this.find(project);
    const digest = found && manifestOf(found, found.live);
    if (!found?.live || digest === undefined) return null;
    return { deploymentId: found.live, manifest: await this.manifests.open(project.workspaceId, digest) };
  }

  /** Null: there is no such release, or the site is not published. @throws AssetGone, BlobsUnavailable */
  async release(project: Which, version: string): Promise<SiteManifest | null> {
    const found = await this.find(project);
    if (!found?.live || !Object.hasOwn(found.releases, version)) return null;
    return this.manifests.open(project.workspaceId, found.releases[version]?.manifest ?? '');
  }

  /**
   * What was live within the last 24 hours, newest first: open tabs go on with its scripts while the site is published.
   * @throws AssetGone, BlobsUnavailable
   */
  async *recent(project: Which): AsyncGenerator<SiteManifest> {
    const found = await this.find(project);
    if (!found?.live) return;
    const since = new Date(this.clock.now() - retiredMs).toISOString();
    for (const { manifest, at } of found.retired) {
      if (at >= since) yield await this.manifests.open(project.workspaceId, manifest);
    }
  }

  /** Manifests whose assets stay stored for longer than a build takes: that of the live deployment and the newest ones. */
  async newest(publication: Publication): Promise<readonly SiteManifest[]> {
    const { workspaceId, live, deployments } = publication;
    const built = deployments.flatMap(({ manifest }) => manifest ?? []).slice(0, taken);
    const digests = new Set([manifestOf(publication, live), ...built].filter((one) => one !== undefined));
    return Promise.all([...digests].map((digest) => this.manifests.open(workspaceId, digest)));
  }

  /** In pieces of 1 MB at most. @throws AssetGone, BlobsUnavailable */
  bytesOf(
    { workspaceId }: Which,
    asset: MadeAsset,
    encoding: AssetEncoding,
    range?: ByteRange,
  ): AsyncGenerator<Uint8Array> {
    return this.assets.bytesOf(workspaceId, asset, encoding, range);
  }

  private find({ workspaceId, id }: Which): Promise<Publication | undefined> {
    return this.reads.get<Publication>(workspaceId, 'publications', id);
  }
}
