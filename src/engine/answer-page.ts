/** Bytes of JSON that one answer holds, give or take its last item. */
const mostBytes = 1024 * 1024;

/** Records that may be large are read so many in one go, so that nobody waits long for the thread. */
export const stride = 20;

/** Takes the items of one answer until it is full. */
export class AnswerPage<Item extends object> {
  readonly items: Item[] = [];
  private bytes = 0;

  constructor(private readonly limit: number) {}

  /** False when it is full and this one belongs on the next page. The first one always fits. */
  add(item: Item): boolean {
    if (this.items.length === this.limit) return false;
    this.bytes += Buffer.byteLength(JSON.stringify(item));
    if (this.items.length > 0 && this.bytes > mostBytes) return false;
    this.items.push(item);
    return true;
  }
}
