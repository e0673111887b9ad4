/** Maximum messages per second on one connection. Pings count too (Sites supplement, Realtime). */
export const mostASecond = 50;
/** A client is disconnected after this many refused messages, unless it pauses in between. */
const flood = 500;

/** A token bucket with the messages of one second. */
export class MessageRate {
  private left = mostASecond;
  private over = 0;

  constructor(private at: number) {}

  /**
   * Counts a message.
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
