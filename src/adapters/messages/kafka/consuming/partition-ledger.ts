/** Maximum number of a partition's keys that are remembered. Before another is added, all of them are forgotten. */
const mostKeys = 20_000;

/**
 * To commit an offset means that everything before it is done. So the offset advances only to the first unfinished
 * message, even if later ones are done.
 */
export class PartitionLedger {
  /** Offsets of messages that have been received but are not done, in order. */
  private readonly open = new Set<number>();
  /**
   * Offsets of messages that were done before this ledger received them, because they began under an earlier
   * assignment.
   */
  private readonly early = new Set<number>();
  private next: number | undefined;
  private end = 0;
  private readonly keys = new Set<string>();
  committed: number | undefined;
  paused = false;

  meets(key: string): boolean {
    if (this.keys.has(key)) return false;
    if (this.keys.size >= mostKeys) this.keys.clear();
    this.keys.add(key);
    return true;
  }

  /** Returns false if the message must not be handled, because it was received before or is already done. */
  received(offset: number): boolean {
    if (this.next !== undefined && offset < this.next) return false;
    this.next = offset + 1;
    if (this.early.delete(offset)) return false;
    this.open.add(offset);
    return true;
  }

  /**
   * Some offsets up to `lastOffset` can have no message: they belong to transaction markers or to messages that
   * compaction has removed.
   */
  reached(lastOffset: number, end: number): void {
    this.next = Math.max(this.next ?? 0, lastOffset + 1);
    this.end = end;
  }

  endsAt(end: number): void {
    this.end = Math.max(this.end, end);
  }

  done(offset: number): void {
    if (!this.open.delete(offset) && offset >= (this.next ?? 0)) this.early.add(offset);
  }

  has(offset: number): boolean {
    return this.open.has(offset);
  }

  /**
   * Offset to commit: that of the first message that is not done or, if all are done, the next one. Undefined if no
   * message has been received.
   */
  get base(): number | undefined {
    for (const first of this.open) return first;
    return this.next;
  }

  get expected(): number | undefined {
    return this.next;
  }

  get size(): number {
    return this.open.size;
  }

  get behind(): number {
    return this.base === undefined ? 0 : Math.max(0, this.end - this.base);
  }
}
