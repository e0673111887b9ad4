const remembered = 20_000;

/**
 * Event ids that this process has written or read of late. The server compares ids only where an append's revision
 * points into the past; whoever appends the same events again at the stream's end has usually read them here before.
 */
export class RecentIds {
  /** The one met longest ago first. */
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
