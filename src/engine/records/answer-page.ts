/** Limit of the total size of the items in a response, in bytes of JSON. A single item may exceed it. */
const mostBytes = 1024 * 1024;

/** Number of possibly large records that are read at once. Limited, so that the thread is not blocked for long. */
export const stride = 20;

export class AnswerPage<Item extends object> {
  readonly items: Item[] = [];
  private bytes = 0;

  constructor(private readonly limit: number) {}

  /**
   * Adds an item. Returns false if the page is full and the item belongs to the next page. The first item always fits.
   */
  add(item: Item): boolean {
    if (this.items.length === this.limit) return false;
    this.bytes += Buffer.byteLength(JSON.stringify(item));
    if (this.items.length > 0 && this.bytes > mostBytes) return false;
    this.items.push(item);
    return true;
  }
}
