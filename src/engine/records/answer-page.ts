/** Maximum size of a page, in bytes of JSON. A single item may exceed it. */
const mostBytes = 1024 * 1024;

/**
 * Number of records that are read at once. It is small, so that reading large records does not block the thread for
 * long.
 */
export const stride = 20;

export class AnswerPage<Item extends object> {
  readonly items: Item[] = [];
  private bytes = 0;

  constructor(private readonly limit: number) {}

  /** Returns false if the page is full. The first item always fits. */
  add(item: Item): boolean {
    if (this.items.length === this.limit) return false;
    this.bytes += Buffer.byteLength(JSON.stringify(item));
    if (this.items.length > 0 && this.bytes > mostBytes) return false;
    this.items.push(item);
    return true;
  }
}
