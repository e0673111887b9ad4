import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { allOf } from '../../test/support/all-of.js';
import { inOrder } from './in-order.js';

async function* upTo(count: number, taken: number[] = []) {
  for (let item = 0; item < count; item += 1) {
    taken.push(item);
    yield item;
  }
}

describe('work in order', () => {
  it('gives results in the order of the items, with a limited number in progress', async () => {
    let [going, highest] = [0, 0];
    const work = async (item: number) => {
      going += 1;
      highest = Math.max(highest, going);
      for (let turn = 0; turn < (item % 3) * 2; turn += 1) await setImmediate();
      going -= 1;
      return item * 10;
    };
    const results = await allOf(inOrder(upTo(10), 3, work));
    expect(results).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
    expect(highest).toBe(3);
  });

  it('reads no more items than it needs', async () => {
    const taken: number[] = [];
    for await (const result of inOrder(upTo(10, taken), 3, async (item) => item)) if (result === 1) break;
    expect(taken).toEqual([0, 1, 2, 3]);
  });

  it('throws at the turn of a failed item, and leaves nothing behind if its reader stops before', async () => {
    const work = async (item: number) => {
      if (item === 2) throw new Error('This one failed.');
      return item;
    };
    const seen: number[] = [];
    const read = async (until: number) => {
      for await (const result of inOrder(upTo(9), 4, work)) {
        seen.push(result);
        if (result === until) return;
      }
    };
    await read(0);
    await expect(read(9)).rejects.toThrow('This one failed.');
    expect(seen).toEqual([0, 0, 1]);
  });
});
