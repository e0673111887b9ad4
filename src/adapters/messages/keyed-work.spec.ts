import { describe, expect, it } from '@jest/globals';
import { Clock } from '../../ports/clock.port.js';
import { KeyedWork } from './keyed-work.js';

class Pauses extends Clock {
  readonly due: { readonly ms: number; readonly callback: () => void }[] = [];
  override now = () => 0;
  override after(ms: number, callback: () => void): () => void {
    const pause = { ms, callback };
    this.due.push(pause);
    return () => void this.due.splice(this.due.indexOf(pause), 1);
  }
}

interface Item {
  readonly key: string;
  readonly n: number;
}

function scene(fails: (item: Item) => boolean, again = true) {
  const clock = new Pauses();
  const seen: string[] = [];
  const work = new KeyedWork<Item>({
    clock,
    concurrency: 1,
    handle: async (item) => {
      seen.push(`${item.key}${item.n}`);
      if (fails(item)) throw new Error('not now');
    },
    done: () => undefined,
    rejected: () => again,
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { clock, seen, work, settle };
}

describe('work by key', () => {
  it('pauses longer and longer, up to half a minute', async () => {
    const { clock, work, settle } = scene(() => true);
    work.add({ key: 'a', n: 0 });
    const pauses: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      await settle();
      const pause = clock.due.shift();
      pauses.push(pause?.ms ?? -1);
      pause?.callback();
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('lets groups of keys take turns, however many keys each has', async () => {
    const { seen, work, settle } = scene(() => false);
    work.pause();
    for (const n of [0, 1, 2, 3]) work.add({ key: `big/${n}-`, n });
    work.add({ key: 'small/0-', n: 0 });
    work.add({ key: 'small/0-', n: 1 });
    work.release();
    for (let turn = 0; turn < 10; turn++) await settle();
    expect(seen).toEqual(['big/0-0', 'small/0-0', 'big/1-1', 'small/0-1', 'big/2-2', 'big/3-3']);
  });

  it('drops messages that have not begun, including a pausing one, and continues with the rest of its key', async () => {
    const { clock, seen, work, settle } = scene(({ n }) => n === 0);
    for (const n of [0, 1, 2]) work.add({ key: 'a', n });
    await settle();
    work.drop(({ n }) => n < 2);
    expect(clock.due).toEqual([]);
    work.add({ key: 'b', n: 9 });
    await settle();
    expect(seen).toEqual(['a0', 'a2', 'b9']);
  });

  it('drops a rejected message that is no longer its own', async () => {
    const { clock, seen, work, settle } = scene(({ n }) => n === 0, false);
    for (const n of [0, 1]) work.add({ key: 'a', n });
    await settle();
    expect([seen, clock.due]).toEqual([['a0', 'a1'], []]);
  });

  it('begins nothing while it is paused', async () => {
    const { seen, work, settle } = scene(() => false);
    work.pause();
    work.add({ key: 'a', n: 0 });
    await settle();
    expect(seen).toEqual([]);
    work.release();
    await settle();
    expect(seen).toEqual(['a0']);
  });
});
