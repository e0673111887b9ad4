import { FairQueue } from './fair-queue.js';

describe('FairQueue', () => {
  const item = (workspace: string, name: string, depth = 0) => ({ workspace, name, depth });
  const drain = (queue: FairQueue<ReturnType<typeof item>>) => {
    const names: string[] = [];
    for (let next = queue.find(() => true); next; next = queue.find(() => true)) {
      queue.remove(next);
      names.push(next.name);
    }
    return names;
  };

  it('serves workspaces in turn, each in its own order', () => {
    const queue = new FairQueue<ReturnType<typeof item>>();
    for (const name of ['a1', 'a2', 'a3']) queue.add(item('a', name));
    for (const name of ['b1', 'b2']) queue.add(item('b', name));
    queue.add(item('c', 'c1'));
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(queue.size).toBe(0);
  });

  it('serves what another run waits for before the rest of its workspace, and no other', () => {
    const queue = new FairQueue<ReturnType<typeof item>>();
    queue.add(item('a', 'a1'));
    queue.add(item('b', 'b1'));
    queue.add(item('b', 'b2', 1));
    expect(drain(queue)).toEqual(['a1', 'b2', 'b1']);
  });

  it('serves the deepest first, so that no caller waits for one behind it', () => {
    const queue = new FairQueue<ReturnType<typeof item>>();
    for (const [name, depth] of Object.entries({ shallow: 1, deep: 3, between: 2, 'as deep': 3 }))
      queue.add(item('a', name, depth));
    expect(drain(queue)).toEqual(['deep', 'as deep', 'between', 'shallow']);
  });

  it('drops cancelled items, without a turn for its workspace', () => {
    const queue = new FairQueue<ReturnType<typeof item>>();
    const [a1, a2] = [item('a', 'a1'), item('a', 'a2')];
    for (const one of [a1, a2, item('b', 'b1')]) queue.add(one);
    expect([queue.takeOut(a2), queue.takeOut(a2), queue.size]).toEqual([true, false, 2]);
    expect(drain(queue)).toEqual(['a1', 'b1']);
  });

  it('skips items that may not start', () => {
    const queue = new FairQueue<ReturnType<typeof item>>();
    queue.add(item('a', 'a1'));
    queue.add(item('b', 'b1'));
    expect(queue.find(({ workspace }) => workspace !== 'a')?.name).toBe('b1');
    expect(queue.clear().map(({ name }) => name)).toEqual(['a1', 'b1']);
  });
});
