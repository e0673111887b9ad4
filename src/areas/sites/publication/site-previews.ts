import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { SiteBuildFailed } from '../../../ports/offloaded/site-builder.port.js';
import type { Project } from '../project/project.record.js';
import type { Snapshot } from '../snapshot/snapshot.record.js';
import type { SitePublication } from './publication.record.js';
import { SiteBuilds } from './site-builds.js';
import type { SiteManifest } from './site-manifest.js';
import { SiteManifests } from './site-manifests.js';
import { SiteSourcesReader } from './site-sources.js';

interface CachedPreview {
  readonly of: string;
  readonly builtAt: number;
  readonly digest: Promise<string>;
  readonly failedAt?: number;
}

const mostCached = 200;
/**
 * After this time, a preview is built again. It must be less than a day, because the assets of a preview are stored for
 * only a day.
 */
const maxAgeMs = 12 * 3_600_000;
/**
 * A failed build is not repeated for this time, because the same content usually fails again. It can succeed, however,
 * if the machine was too busy or a package was missing.
 */
const failedAgeMs = 60_000;

const isGood = ({ builtAt, failedAt }: CachedPreview, now: number): boolean =>
  failedAt === undefined ? builtAt > now - maxAgeMs : failedAt > now - failedAgeMs;

@Injectable()
export class SitePreviews {
  private readonly cache = new Map<string, CachedPreview>();

  constructor(
    private readonly reads: Reads,
    private readonly sources: SiteSourcesReader,
    private readonly builds: SiteBuilds,
    private readonly manifests: SiteManifests,
    private readonly clock: Clock,
  ) {}

  /** @throws SiteBuildFailed, SiteBuilderBusy, BlobsUnavailable */
  async of(project: Project): Promise<SiteManifest> {
    const { workspaceId, id: projectId } = project;
    const [latest] = await this.reads.find<Snapshot>(workspaceId, 'snapshots', {
      where: { projectId },
      sort: [['position', 'desc']],
      limit: 1,
    });
    const position = latest?.position ?? 0;
    const of = `${position} ${project.updatedAt}`;
    const now = this.clock.now();
    const known = this.cache.get(projectId);
    const preview: CachedPreview =
      known?.of === of && isGood(known, now) ? known : { of, builtAt: now, digest: this.build(project, position) };
    this.cachePreview(projectId, preview);
    try {
      return await this.manifests.open(workspaceId, await preview.digest);
    } catch (error) {
      // After other errors than a failed build, the next request builds again.
      if (this.cache.get(projectId) === preview && preview.failedAt === undefined) {
        this.cache.delete(projectId);
        if (error instanceof SiteBuildFailed) this.cachePreview(projectId, { ...preview, failedAt: this.clock.now() });
      }
      throw error;
    }
  }

  private async build(project: Project, position: number): Promise<string> {
    const { workspaceId, id: projectId } = project;
    const content = await this.sources.contentAt({ workspaceId, projectId, position }, project);
    const publication = await this.reads.get<SitePublication>(workspaceId, 'publications', projectId);
    const { digest } = await this.builds.make({
      content,
      sources: await this.sources.sourcesOf(content, () => false),
      earlier: publication === undefined ? [] : await this.manifests.newest(publication),
      reached: () => undefined,
    });
    return digest;
  }

  private cachePreview(projectId: string, preview: CachedPreview): void {
    this.cache.delete(projectId);
    this.cache.set(projectId, preview);
    for (const oldest of this.cache.keys()) {
      if (this.cache.size <= mostCached) return;
      this.cache.delete(oldest);
    }
  }
}
