import { setTimeout } from 'node:timers/promises';
import type { Consumer, Message } from '../../../src/ports/messages.port.js';

interface Seen {
  readonly key: string;
  readonly n: number;
}

/** Collects the messages that a consumer began and finished, and how many it handled at once. */
export class Handled {
  readonly begun: Seen[] = [];
  readonly done: Seen[] = [];
  now = 0;
  most = 0;
  mostOfOneKey = 0;
  private readonly ofKey = new Map<string, number>();

  async watch(message: Message, handle: Consumer['handle']): Promise<void> {
    const seen = { key: message.key, n: Number(message.value['n']) };
    this.begun.push(seen);
    this.count(message.key, 1);
    try {
      await handle(message);
      this.done.push(seen);
    } finally {
      this.count(message.key, -1);
    }
  }

  /** The numbers of the finished messages with this key, in order. */
  of(key: string): readonly number[] {
    return this.done.filter((seen) => seen.key === key).map(({ n }) => n);
  }

  private count(key: string, by: number): void {
    this.now += by;
    this.most = Math.max(this.most, this.now);
    this.ofKey.set(key, (this.ofKey.get(key) ?? 0) + by);
    this.mostOfOneKey = Math.max(this.mostOfOneKey, this.ofKey.get(key) ?? 0);
  }
}

export async function until(isSo: () => boolean, what: string, withinMs = 15_000): Promise<void> {
  for (const end = Date.now() + withinMs; !isSo(); await setTimeout(5)) {
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}`);
  }
}
