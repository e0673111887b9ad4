import type { EventFilter } from '../../../ports/event-store.port.js';
import { EventFollowers, unionOf } from './filters.js';
import type { Follower, FollowerSource } from './follower.js';
import type { LogPage } from './log-source.js';

export interface HistoryReader {
  /**
   * Once half of a group's followers are ready for the next page, the group waits for the others as long as it has
   * already waited, plus this time in milliseconds, but at most `longestPatienceMs`. Followers that are still not ready
   * then form a separate group, which reads the rest of the log on its own. This costs more than the extra wait.
   */
  readonly patienceMs: number;
  /** Retries until a read succeeds. Resolves to undefined once `isNeeded` returns false. */
  read(after: number, filter: () => EventFilter, isNeeded: () => boolean): Promise<LogPage | undefined>;
  arrived(follower: Follower, end: number): void;
}

const longestPatienceMs = 5_000;

export class CatchUpGroup implements FollowerSource {
  private readonly members: EventFollowers<Follower>;
  private readonly ready = new Set<Follower>();
  private changed = (): void => undefined;

  constructor(
    followers: Iterable<Follower>,
    private readonly reader: HistoryReader,
  ) {
    this.members = new EventFollowers(followers);
    for (const follower of this.members) follower.moveTo(this);
  }

  async run(first: LogPage): Promise<void> {
    for (let page: LogPage | undefined = first; page !== undefined; ) {
      this.give(page);
      const { upTo, atEnd } = page;
      if (atEnd) {
        for (const follower of [...this.members]) this.arrive(follower, upTo);
        return;
      }
      const next = this.readAfter(upTo);
      await this.untilReady();
      this.splitSlow(upTo);
      page = await next;
    }
  }

  resting(follower: Follower): void {
    this.ready.add(follower);
    this.changed();
  }

  gone(follower: Follower): void {
    this.members.delete(follower);
    this.ready.delete(follower);
    this.changed();
  }

  private give({ events, upTo, atEnd }: LogPage): void {
    this.ready.clear();
    for (const event of events) this.members.each(event, (follower) => follower.enqueue(event));
    for (const follower of this.members) {
      follower.reach(upTo, atEnd);
      if (follower.waitsSince === undefined) this.ready.add(follower);
    }
  }

  private arrive(follower: Follower, end: number): void {
    this.members.delete(follower);
    this.reader.arrived(follower, end);
  }

  private readAfter(position: number): Promise<LogPage | undefined> {
    return this.reader.read(
      position,
      () => unionOf([...this.members].map(({ filter }) => filter)),
      () => this.members.size > 0,
    );
  }

  private async untilReady(): Promise<void> {
    const began = performance.now();
    let late = false;
    const isLate = () => {
      late = true;
      this.changed();
    };
    let timer = setTimeout(isLate, longestPatienceMs);
    let isHalf = false;
    while (this.ready.size < this.members.size && !(late && this.ready.size > 0)) {
      if (!isHalf && this.ready.size * 2 >= this.members.size) {
        isHalf = true;
        clearTimeout(timer);
        timer = setTimeout(isLate, Math.min(performance.now() - began + this.reader.patienceMs, longestPatienceMs));
      }
      await new Promise<void>((resolve) => {
        this.changed = resolve;
      });
    }
    clearTimeout(timer);
  }

  private splitSlow(position: number): void {
    const slow = [...this.members].filter((follower) => !this.ready.has(follower));
    if (slow.length === 0) return;
    for (const follower of slow) this.members.delete(follower);
    void new CatchUpGroup(slow, this.reader).runAfter(position);
  }

  private async runAfter(position: number): Promise<void> {
    await this.untilReady();
    this.splitSlow(position);
    const page = await this.readAfter(position);
    if (page !== undefined) await this.run(page);
  }
}
