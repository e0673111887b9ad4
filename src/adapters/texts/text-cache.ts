import { BoundedCache } from '../../kernel/bounded-cache.js';

const MB = 1024 * 1024;
const entryOverhead = 200;

/** Texts in memory, bounded by their size. A text of a digest never changes. */
export class TextCache {
  private readonly texts: BoundedCache<string>;

  constructor(private readonly mostBytes = 32 * MB) {
    this.texts = new BoundedCache(mostBytes, sizeOf);
  }

  get(key: string): string | undefined {
    return this.texts.get(key);
  }

  /** More than a quarter of all is not kept. */
  set(key: string, text: string): void {
    if (sizeOf(text) <= this.mostBytes / 4) this.texts.set(key, text);
  }
}

/** A string may take two bytes a code unit. */
const sizeOf = (text: string) => entryOverhead + 2 * text.length;
