const MB = 1024 * 1024;
const entryOverhead = 200;

/** Texts in memory, bounded by their size; the least recently used are dropped first. A text of a digest never changes. */
export class TextCache {
  private readonly texts = new Map<string, string>();
  private bytes = 0;

  constructor(private readonly mostBytes = 32 * MB) {}

  get(key: string): string | undefined {
    const text = this.texts.get(key);
    if (text === undefined) return undefined;
    this.texts.delete(key);
    this.texts.set(key, text);
    return text;
  }

  set(key: string, text: string): void {
    if (this.texts.has(key) || sizeOf(text) > this.mostBytes / 4) return;
    this.texts.set(key, text);
    this.bytes += sizeOf(text);
    for (const [oldest, dropped] of this.texts) {
      if (this.bytes <= this.mostBytes) break;
      this.texts.delete(oldest);
      this.bytes -= sizeOf(dropped);
    }
  }
}

/** A string may take two bytes a code unit. */
const sizeOf = (text: string) => entryOverhead + 2 * text.length;
