import { BoundedCache } from '../../kernel/bounded-cache.js';

/** Largest content that is cached, in bytes. */
export const largestCached = 256 * 1024;
const mostKept = 64 * 1024 * 1024;

/** An in-memory cache of frequently requested contents. The content of a name must never change. */
export class ByteCache {
  private readonly kept: BoundedCache<Uint8Array>;

  /** @param most total size of all cached contents, in bytes */
  constructor(most = mostKept) {
    this.kept = new BoundedCache(most, ({ length }) => length);
  }

  find(name: string): Uint8Array | undefined {
    return this.kept.get(name);
  }

  /** Does not cache contents larger than `largestCached`. */
  keep(name: string, bytes: Uint8Array): void {
    if (bytes.length <= largestCached && this.kept.get(name) === undefined) this.kept.set(name, bytes);
  }
}
