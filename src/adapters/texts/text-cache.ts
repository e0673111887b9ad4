import { BoundedCache } from '../../kernel/bounded-cache.js';

const MB = 1024 * 1024;
const entryOverhead = 200;

/** Never stale, because the text of a digest does not change. */
export class TextCache {
  private readonly texts: BoundedCache<string>;

  constructor(private readonly mostBytes = 32 * MB) {
    this.texts = new BoundedCache(mostBytes, sizeOf);
  }

  get(key: string): string | undefined {
    return this.texts.get(key);
  }

  /** A text that takes more than a quarter of the limit is not cached. */
  set(key: string, text: string): void {
    if (sizeOf(text) <= this.mostBytes / 4) this.texts.set(key, text);
  }
}

const sizeOf = (text: string) => entryOverhead + 2 * text.length;
