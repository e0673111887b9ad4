const remembered = 20_000;

/**
 * Event ids that this process has recently written or read. The server compares ids only if the expected revision is in
 * the past. A repetition at the stream's end is usually recognised here, because the process has read the events.
 */
export class RecentIds {
  /** Oldest first. */
  private readonly ids = new Set<string>();

  add(ids: Iterable<string>): void {
    for (const id of ids) this.ids.add(id);
    for (const id of this.ids) {
      if (this.ids.size <= remembered) break;
      this.ids.delete(id);
    }
  }

  hasOneOf(ids: readonly string[]): boolean {
    return ids.some((id) => this.ids.has(id));
  }
}
