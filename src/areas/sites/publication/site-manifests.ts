import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Blobs } from '../../../ports/blobs.port.js';
import { manifestOf, type SitePublication } from './publication.record.js';
import { AssetGone } from './site-asset-blobs.js';
import type { SiteManifest } from './site-manifest.js';

/** Prefix of the blob names, which have the form `site-manifests/<workspace>/<digest>`. */
export const allManifests = 'site-manifests';

/** Maximum total size of the parsed manifests in memory, in characters of JSON. */
const mostCached = 64 * 1024 * 1024;

/** Number of recent deployments from which a build reuses assets. */
const newest = 3;

interface CachedManifest {
  readonly manifest: SiteManifest;
  readonly length: number;
}

/** Stores and reads manifests by their digest. Parsed manifests are cached in memory. */
@Injectable()
export class SiteManifests {
  /** The cache, with the least recently used manifest first. */
  private readonly cache = new Map<string, CachedManifest>();
  /** Reads in progress. Concurrent requests for a manifest share one read. */
  private readonly reading = new Map<string, Promise<CachedManifest>>();
  private length = 0;

  constructor(private readonly blobs: Blobs) {}

  /**
   * Stores the manifest and returns its digest and size when it is durable.
   * @throws BlobsUnavailable
   */
  async store(
    workspaceId: string,
    manifest: SiteManifest,
  ): Promise<{ readonly digest: string; readonly bytes: number }> {
    const text = JSON.stringify(manifest);
    const digest = hash('sha256', text, 'hex');
    await this.blobs.put(nameOf(workspaceId, digest), await promisify(gzip)(text, { level: 4 }));
    return { digest, bytes: Buffer.byteLength(text) };
  }

  /** @throws AssetGone, BlobsUnavailable */
  async open(workspaceId: string, digest: string): Promise<SiteManifest> {
    const name = nameOf(workspaceId, digest);
    const cached = this.cache.get(name);
    if (cached === undefined) return (await this.readOnce(name)).manifest;
    this.cache.delete(name);
    this.cache.set(name, cached);
    return cached.manifest;
  }

  /**
   * Like `open`, but does not add the manifest to the cache. A caller that reads many manifests uses it so that others
   * are not evicted.
   * @throws AssetGone, BlobsUnavailable
   */
  async glance(workspaceId: string, digest: string): Promise<SiteManifest> {
    const name = nameOf(workspaceId, digest);
    return this.cache.get(name)?.manifest ?? (await this.parsed(name)).manifest;
  }

  /**
   * Returns the manifests of the live deployment and of the newest ones. Their assets remain stored for longer than a
   * build takes.
   */
  async newest(publication: SitePublication): Promise<readonly SiteManifest[]> {
    const { workspaceId, live, deployments } = publication;
    const built = deployments.flatMap(({ manifest }) => manifest ?? []).slice(0, newest);
    const digests = new Set([manifestOf(publication, live), ...built].filter((one) => one !== undefined));
    return Promise.all([...digests].map((digest) => this.open(workspaceId, digest)));
  }

  private readOnce(name: string): Promise<CachedManifest> {
    const under = this.reading.get(name) ?? this.read(name).finally(() => this.reading.delete(name));
    this.reading.set(name, under);
    return under;
  }

  private async parsed(name: string): Promise<CachedManifest> {
    const bytes = await this.blobs.open(name);
    if (bytes === undefined) throw new AssetGone(`${name} is not in the blob store.`);
    const text = (await promisify(gunzip)(bytes)).toString();
    return { manifest: JSON.parse(text) as SiteManifest, length: text.length };
  }

  private async read(name: string): Promise<CachedManifest> {
    const parsed = await this.parsed(name);
    this.cache.set(name, parsed);
    this.length += parsed.length;
    for (const [oldest, { length }] of this.cache) {
      if (this.length <= mostCached || oldest === name) break;
      this.cache.delete(oldest);
      this.length -= length;
    }
    return parsed;
  }
}

const nameOf = (workspaceId: string, digest: string) => `${allManifests}/${workspaceId}/${digest}`;
