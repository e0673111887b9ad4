import { Injectable } from '@nestjs/common';
import { Blobs } from '../../../ports/blobs.port.js';
import type { AssetBytes, MadeAsset } from '../../../ports/offloaded/site-builder.port.js';
import { ByteCache, largestCached } from '../byte-cache.js';

export const forms = ['plain', 'gzip', 'brotli'] as const;
export type AssetForm = (typeof forms)[number];

/** Inclusive at both ends. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Blob names have the form `site-assets/<workspace>/<digest>/<form>/<part>`, so projects of one workspace share equal
 * assets.
 */
export const allAssets = 'site-assets';

/** Assets are stored in blobs of this size, so at most one of these blobs has to be in memory at a time. */
const partBytes = 1024 * 1024;

/** In bytes. Undefined if the asset is not stored in this form. */
export function formSize(asset: MadeAsset, form: AssetForm): number | undefined {
  return form === 'plain' ? asset.size : asset[form];
}

@Injectable()
export class SiteAssetBlobs {
  private readonly cache = new ByteCache();

  constructor(private readonly blobs: Blobs) {}

  /**
   * Resolves when all forms are durable. Idempotent.
   * @throws BlobsUnavailable
   */
  async store(workspaceId: string, { digest }: MadeAsset, bytes: AssetBytes): Promise<void> {
    for (const form of forms) {
      const content = bytes[form];
      if (content === undefined) continue;
      // An empty asset is stored as one empty blob. Without it, the asset would seem to be missing.
      for (let part = 0; part === 0 || part * partBytes < content.length; part += 1) {
        const name = partName(workspaceId, digest, form, part);
        await this.blobs.put(name, content.subarray(part * partBytes, (part + 1) * partBytes));
      }
    }
  }

  cachedBytes(workspaceId: string, { digest }: MadeAsset, form: AssetForm): Uint8Array | undefined {
    return this.cache.find(partName(workspaceId, digest, form, 0));
  }

  /**
   * Yields pieces of at most 1 MB. A compressed form may be gone while the plain one is stored, because a build with
   * another version of the compression library has replaced its bytes.
   * @throws AssetGone, BlobsUnavailable
   */
  async *bytesOf(
    workspaceId: string,
    asset: MadeAsset,
    form: AssetForm,
    range?: ByteRange,
  ): AsyncGenerator<Uint8Array> {
    const size = formSize(asset, form);
    if (size === undefined) throw new Error(`The asset ${asset.name} has no form '${form}'.`);
    const { from, to } = range ?? { from: 0, to: size - 1 };
    // Checks the last part first, because after the first piece it is too late to refuse. If the bytes were replaced,
    // the length of the last part usually differs.
    const last = Math.floor(to / partBytes);
    if (form !== 'plain' && last > 0) await this.part(workspaceId, asset.digest, form, last, size);
    for (let part = Math.floor(from / partBytes); part * partBytes <= to; part += 1) {
      const bytes = await this.part(workspaceId, asset.digest, form, part, size);
      const begin = part * partBytes;
      yield bytes.subarray(Math.max(0, from - begin), Math.min(bytes.length, to + 1 - begin));
    }
  }

  private async part(
    workspaceId: string,
    digest: string,
    form: AssetForm,
    part: number,
    size: number,
  ): Promise<Uint8Array> {
    const name = partName(workspaceId, digest, form, part);
    const length = Math.min(partBytes, size - part * partBytes);
    const cached = this.cache.find(name);
    if (cached?.length === length) return cached;
    const bytes = await this.blobs.open(name);
    if (bytes?.length !== length) throw new AssetGone(`${name} is not in the blob store, or was replaced.`);
    if (size <= largestCached) this.cache.add(name, bytes);
    return bytes;
  }
}

/**
 * The asset or manifest is not in the blob store: it was removed because nothing needed it, or the service now uses
 * another blob store than when it was published.
 */
export class AssetGone extends Error {}

const partName = (workspaceId: string, digest: string, form: AssetForm, part: number) =>
  `${allAssets}/${workspaceId}/${digest}/${form}/${part}`;
