import { Injectable } from '@nestjs/common';
import { AssetGone } from './site-asset-blobs.js';
import type { SiteManifest } from './site-manifest.js';
import { SiteManifests } from './site-manifests.js';

/**
 * Maximum number of asset names in the indexes of all sites together, which then take about 40 MB. A name that occurs
 * in several manifests counts once for each.
 */
const mostNames = 500_000;

interface Entry {
  readonly manifest: string;
  /** JSON of the pages that need the asset. Equal lists share one string in memory. */
  readonly readers: string;
}

/**
 * Maps the names of a site's assets to the manifests that contain them. Reads each manifest only once, even if calls
 * are concurrent.
 */
class SiteAssetIndex {
  private readonly byName = new Map<string, Entry[]>();
  private readonly indexed = new Set<string>();
  private readonly texts = new Map<string, string>();
  private indexing: Promise<void> = Promise.resolve();
  size = 0;

  isStale(manifests: readonly string[]): boolean {
    return this.indexed.size > 2 * manifests.length + 20;
  }

  async index(manifests: readonly string[], read: (digest: string) => Promise<SiteManifest>): Promise<void> {
    this.indexing = this.indexing
      .catch(() => undefined)
      .then(async () => {
        for (const digest of manifests) {
          if (!this.indexed.has(digest)) this.add(digest, await read(digest).catch(nothingThere));
        }
      });
    await this.indexing;
  }

  having(name: string, manifests: readonly string[]): readonly string[] {
    const entries = new Map(this.byName.get(name)?.map(({ manifest, readers }) => [manifest, readers]));
    const seen = new Set<string>();
    return manifests.filter((digest) => {
      const readers = entries.get(digest);
      const isNew = readers !== undefined && !seen.has(readers);
      if (readers !== undefined) seen.add(readers);
      return isNew;
    });
  }

  private add(digest: string, { assets }: Pick<SiteManifest, 'assets'>): void {
    this.indexed.add(digest);
    for (const { name, pages } of assets) {
      const contents = JSON.stringify(pages);
      const readers = this.texts.get(contents) ?? contents;
      this.texts.set(readers, readers);
      const entries = this.byName.get(name) ?? [];
      entries.push({ manifest: digest, readers });
      this.byName.set(name, entries);
    }
    this.size += 1 + assets.length;
  }
}

function nothingThere(error: unknown): Pick<SiteManifest, 'assets'> {
  if (error instanceof AssetGone) return { assets: [] };
  throw error;
}

/**
 * Finds the earlier deployments that have an asset. An index is needed because a request with an unknown name would
 * otherwise read up to 200 manifests.
 */
@Injectable()
export class RetiredAssets {
  private readonly indexes = new Map<string, SiteAssetIndex>();

  constructor(private readonly manifests: SiteManifests) {}

  /**
   * Returns manifests in the given order. If several serve the asset to the same pages, only the first is returned.
   * @throws BlobsUnavailable
   */
  async having(
    { workspaceId, projectId }: { readonly workspaceId: string; readonly projectId: string },
    name: string,
    manifests: readonly string[],
  ): Promise<readonly string[]> {
    if (manifests.length === 0) return [];
    const before = this.indexes.get(projectId);
    const names = before === undefined || before.isStale(manifests) ? new SiteAssetIndex() : before;
    this.indexes.delete(projectId);
    this.indexes.set(projectId, names);
    await names.index(manifests, (digest) => this.manifests.glance(workspaceId, digest));
    this.bound(projectId);
    return names.having(name, manifests);
  }

  private bound(asked: string): void {
    let size = [...this.indexes.values()].reduce((sum, one) => sum + one.size, 0);
    for (const [project, names] of this.indexes) {
      if (size <= mostNames) return;
      if (project === asked) continue;
      this.indexes.delete(project);
      size -= names.size;
    }
  }
}
