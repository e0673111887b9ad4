import { BoundedCache } from '../../kernel/bounded-cache.js';

const MB = 1024 * 1024;
const entryOverhead = 200;

/** Texts in memory, limited by size. The text of a digest never changes. */
export class TextCache {
  private readonly texts: BoundedCache<string>;

  constructor(private readonly mostBytes = 32 * MB) {
    this.texts = new BoundedCache(mostBytes, sizeOf);
  }

  get(key: string): string | undefined {
    return this.texts.get(key);
  }

  /** Texts of more than a quarter of the limit are not cached. */
  set(key: string, text: string): void {
    if (sizeOf(text) <= this.mostBytes / 4) this.texts.set(key, text);
  }
}

/** A string may take two bytes per code unit. */
const sizeOf = (text: string) => entryOverhead + 2 * text.length;
