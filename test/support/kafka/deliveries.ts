import type { Message } from '../../../src/ports/messages.port.js';

/** Messages that were processed, over all consumers, in the order in which they were finished. */
export class Deliveries {
  readonly all: { readonly key: string; readonly n: number }[] = [];
  private readonly seen = new Map<string, number>();

  add(key: string, n: number): void {
    this.all.push({ key, n });
    this.seen.set(`${key} ${n}`, this.all.length - 1);
  }

  /** Number of different messages that were processed. */
  get different(): number {
    return this.seen.size;
  }

  /**
   * Returns the keys whose messages were not processed in the order in which they were published. If a message was
   * processed several times, the last time is used.
   */
  outOfOrder(): readonly string[] {
    const last = new Map<string, number>();
    const wrong = new Set<string>();
    const inTime = [...this.seen].sort(([, a], [, b]) => a - b);
    for (const [name] of inTime) {
      const [key = '', n] = name.split(' ');
      if (Number(n) < (last.get(key) ?? -1)) wrong.add(key);
      last.set(key, Number(n));
    }
    return [...wrong];
  }
}

/** Returns `ofEach` messages for each key, numbered within the key. Keys take turns. */
export function numbered(keys: number, ofEach: number): readonly Message[] {
  return Array.from({ length: keys * ofEach }, (_, i) => {
    const [key, n] = [`key-${i % keys}`, Math.floor(i / keys)];
    return { id: `${key}-${n}`, key, value: { n } };
  });
}
