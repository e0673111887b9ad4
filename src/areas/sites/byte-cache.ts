import { BoundedCache } from '../../kernel/bounded-cache.js';

/** What is kept of one content at most, in bytes. */
export const largestCached = 256 * 1024;
const mostKept = 64 * 1024 * 1024;

/** Bytes that are asked for again and again. A name stands for the same bytes for ever. */
export class ByteCache {
  private readonly kept: BoundedCache<Uint8Array>;

  /** `most`: of all together, in bytes. */
  constructor(most = mostKept) {
    this.kept = new BoundedCache(most, ({ length }) => length);
  }

  find(name: string): Uint8Array | undefined {
    return this.kept.get(name);
  }

  /** More than `largestCached` is not kept. */
  keep(name: string, bytes: Uint8Array): void {
    if (bytes.length <= largestCached && this.kept.get(name) === undefined) this.kept.set(name, bytes);
  }
}
