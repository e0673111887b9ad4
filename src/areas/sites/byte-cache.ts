import { BoundedCache } from '../../kernel/bounded-cache.js';

/** Maximum size of a content that is cached, in bytes. */
export const largestCached = 256 * 1024;
const cacheBytes = 64 * 1024 * 1024;

/** An in-memory cache of frequently requested contents. The content of a name must never change. */
export class ByteCache {
  private readonly cache: BoundedCache<Uint8Array>;

  /** @param most total size of all cached contents, in bytes */
  constructor(most = cacheBytes) {
    this.cache = new BoundedCache(most, ({ length }) => length);
  }

  find(name: string): Uint8Array | undefined {
    return this.cache.get(name);
  }

  /** Does not cache contents larger than `largestCached`. */
  add(name: string, bytes: Uint8Array): void {
    if (bytes.length <= largestCached && this.cache.get(name) === undefined) this.cache.set(name, bytes);
  }
}
