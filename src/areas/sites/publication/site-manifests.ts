import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Blobs } from '../../../ports/blobs.port.js';
import { manifestOf, type SitePublication } from './publication.record.js';
import { AssetGone } from './site-asset-blobs.js';
import type { SiteManifest } from './site-manifest.js';

/** Blob names have the form `site-manifests/<workspace>/<digest>`. */
export const allManifests = 'site-manifests';

/** Limit for parsed manifests in memory, in characters of JSON. */
const mostCached = 64 * 1024 * 1024;

const newest = 3;

interface CachedManifest {
  readonly manifest: SiteManifest;
  readonly length: number;
}

@Injectable()
export class SiteManifests {
  private readonly cache = new Map<string, CachedManifest>();
  private readonly reading = new Map<string, Promise<CachedManifest>>();
  private length = 0;

  constructor(private readonly blobs: Blobs) {}

  /**
   * Resolves when the manifest is durable.
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
   * Does not add the manifest to the cache, so that a caller that reads many does not evict others.
   * @throws AssetGone, BlobsUnavailable
   */
  async glance(workspaceId: string, digest: string): Promise<SiteManifest> {
    const name = nameOf(workspaceId, digest);
    return this.cache.get(name)?.manifest ?? (await this.parsed(name)).manifest;
  }

  /**
   * Returns the manifests of the newest deployments and of the live one. A build can reuse their assets, because these
   * remain stored for longer than a build takes. Manifests that are gone from the blob store are omitted.
   * @throws BlobsUnavailable
   */
  async newest(publication: SitePublication): Promise<readonly SiteManifest[]> {
    const { workspaceId, live, deployments } = publication;
    const built = deployments.flatMap(({ manifest }) => manifest ?? []).slice(0, newest);
    const digests = new Set([manifestOf(publication, live), ...built].filter((one) => one !== undefined));
    const found = await Promise.all(
      [...digests].map((digest) => this.open(workspaceId, digest).catch(undefinedIfGone)),
    );
    return found.filter((one) => one !== undefined);
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

function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof AssetGone)) throw error;
}

const nameOf = (workspaceId: string, digest: string) => `${allManifests}/${workspaceId}/${digest}`;
