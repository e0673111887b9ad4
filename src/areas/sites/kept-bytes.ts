/** What is kept of one content at most, in bytes. */
export const largestKept = 256 * 1024;
const mostKept = 64 * 1024 * 1024;

/** Bytes that are asked for again and again, by names that stand for the same bytes for ever. */
export class KeptBytes {
  /** The least recently used first. */
  private readonly kept = new Map<string, Uint8Array>();
  private size = 0;

  constructor(
    /** Of all together. */
    private readonly most = mostKept,
  ) {}

  find(name: string): Uint8Array | undefined {
    const kept = this.kept.get(name);
    if (kept === undefined) return undefined;
    this.kept.delete(name);
    this.kept.set(name, kept);
    return kept;
  }

  /** More than `largestKept` is not kept. */
  keep(name: string, bytes: Uint8Array): void {
    if (this.kept.has(name) || bytes.length > largestKept) return;
    this.kept.set(name, bytes);
    this.size += bytes.length;
    for (const [oldest, { length }] of this.kept) {
      if (this.size <= this.most) return;
      this.kept.delete(oldest);
      this.size -= length;
    }
  }
}
