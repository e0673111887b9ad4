/** Messages per second on one connection, including control frames (Sites supplement, Realtime). */
export const mostASecond = 50;
/** A client that exceeds the limit by this many messages without a pause is disconnected. */
const flood = 500;

/** A token bucket that holds the messages of one second. */
export class MessageRate {
  private left = mostASecond;
  private over = 0;

  constructor(private at: number) {}

  /** Counts a message. `now` is in milliseconds. */
  take(now: number): 'fits' | 'first over' | 'over' | 'flood' {
    this.left = Math.min(mostASecond, this.left + (Math.max(0, now - this.at) * mostASecond) / 1_000);
    this.at = now;
    if (this.left >= 1) {
      this.left -= 1;
      if (this.left >= mostASecond / 2) this.over = 0;
      return 'fits';
    }
    this.over += 1;
    if (this.over > flood) return 'flood';
    return this.over === 1 ? 'first over' : 'over';
  }
}
