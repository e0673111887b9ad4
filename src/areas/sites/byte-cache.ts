import { BoundedCache } from '../../kernel/bounded-cache.js';

/** In bytes. */
export const largestCached = 256 * 1024;
const cacheBytes = 64 * 1024 * 1024;

/** Contents are cached by name, so the content of a name must never change. */
export class ByteCache {
  private readonly cache: BoundedCache<Uint8Array>;

  /** @param most limit for all cached contents together, in bytes */
  constructor(most = cacheBytes) {
    this.cache = new BoundedCache(most, ({ length }) => length);
  }

  find(name: string): Uint8Array | undefined {
    return this.cache.get(name);
  }

  add(name: string, bytes: Uint8Array): void {
    if (bytes.length <= largestCached && this.cache.get(name) === undefined) this.cache.set(name, bytes);
  }
}
