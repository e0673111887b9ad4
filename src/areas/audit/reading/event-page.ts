/** Bytes of JSON that one answer holds, give or take its last event. */
const mostBytes = 1024 * 1024;

/** Events that are read in one go: some megabytes at most, so that nobody waits long for the thread. */
export const stride = 20;

/** Takes the events of one answer until it is full. */
export class EventPage {
  readonly events: object[] = [];
  private bytes = 0;

  constructor(private readonly limit: number) {}

  /** False when it is full and this one belongs on the next page. The first one always fits. */
  add(event: object): boolean {
    if (this.events.length === this.limit) return false;
    this.bytes += Buffer.byteLength(JSON.stringify(event));
    if (this.events.length > 0 && this.bytes > mostBytes) return false;
    this.events.push(event);
    return true;
  }
}
