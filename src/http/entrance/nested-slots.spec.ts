import { describe, expect, it } from '@jest/globals';
import { type Leave, NestedSlots } from './nested-slots.js';

describe('slots', () => {
  it('are limited in total, and for every share', () => {
    const places = new NestedSlots([5, 3, 2]);
    const taken = (workspace: string, address: string) => places.take([workspace, address]) !== undefined;
    expect([taken('a', '1'), taken('a', '1'), taken('a', '1')]).toEqual([true, true, false]);
    expect([taken('a', '2'), taken('a', '3')]).toEqual([true, false]);
    expect([taken('b', '1'), taken('b', '1'), taken('c', '1')]).toEqual([true, true, false]);
  });

  it('are given in order of waiting, except to those whose own share is full', async () => {
    const places = new NestedSlots([2, 1]);
    const begun: string[] = [];
    const leaves = new Map<string, Leave>();
    const wait = async (share: string, name: string) => {
      const leave = await places.wait([share]);
      begun.push(name);
      leaves.set(name, leave);
    };
    const all = [wait('a', 'a1'), wait('a', 'a2'), wait('b', 'b1'), wait('c', 'c1'), wait('b', 'b2')];
    const leave = async (name: string) => {
      leaves.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    await leave('none');
    expect(begun).toEqual(['a1', 'b1']);
    for (const name of ['b1', 'a1', 'c1', 'a2', 'b2']) await leave(name);
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
    expect([places.take(['a']), places.take(['b']), places.take(['c'])].map((one) => one !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
