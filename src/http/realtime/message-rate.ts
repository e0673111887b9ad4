/** Maximum messages per second on one connection. Pings count too (Sites supplement, Realtime). */
export const mostASecond = 50;
/**
 * Maximum number of refused messages in a series, which ends when half of the bucket is full again. After more, the
 * client is disconnected.
 */
const flood = 500;

/** A token bucket that holds at most the messages of one second. */
export class MessageRate {
  private left = mostASecond;
  private over = 0;

  constructor(private at: number) {}

  /**
   * `first over` means that the message is the first of a series of refused messages. `flood` means that the client
   * must be disconnected.
   * @param now in milliseconds
   */
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
