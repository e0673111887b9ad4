import type { Message } from '../../../src/ports/messages.port.js';

/** What was finished, over all consumers, in the order it was finished in. */
export class Deliveries {
  readonly all: { readonly key: string; readonly n: number }[] = [];
  private readonly seen = new Map<string, number>();

  add(key: string, n: number): void {
    this.all.push({ key, n });
    this.seen.set(`${key} ${n}`, this.all.length - 1);
  }

  /** How many different messages were finished. */
  get different(): number {
    return this.seen.size;
  }

  /** Keys whose messages, each counted where it was finished for the last time, are not in the order published. */
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

/** `ofEach` messages of each of `keys` keys, numbered within the key, keys taking turns. */
export function numbered(keys: number, ofEach: number): readonly Message[] {
  return Array.from({ length: keys * ofEach }, (_, i) => {
    const [key, n] = [`key-${i % keys}`, Math.floor(i / keys)];
    return { id: `${key}-${n}`, key, value: { n } };
  });
}
