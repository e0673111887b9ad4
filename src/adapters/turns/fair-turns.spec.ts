import { describe, expect, it } from '@jest/globals';
import { FairTurns, type TurnLimits } from './fair-turns.js';

class Full extends Error {}

const wide = { atATime: 2, atATimeOfLine: 2, waiting: 100, waitingOfLine: 100, waitingOfYieldingLine: 100 };

function stage(limits: Partial<TurnLimits>) {
  const turns = new FairTurns({ ...wide, ...limits, full: () => new Full() });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const take = (line: string, task: string, yields = false) =>
    turns.take({ line, yields }, () => {
      begun.push(task);
      return new Promise<string>((resolve, reject) =>
        ends.set(task, (error) => (error === undefined ? resolve(task) : reject(error))),
      );
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (task: string, error?: Error) => {
    ends.get(task)?.(error);
    await settle();
  };
  return { begun, take, end };
}

describe('turns', () => {
  it('run a limited number at a time, and the next when one ends', async () => {
    const { begun, take, end } = stage({});
    const all = ['1', '2', '3', '4'].map((task) => take('a', task));
    expect(begun).toEqual(['1', '2']);
    await end('2');
    expect(begun).toEqual(['1', '2', '3']);
    for (const task of ['1', '3', '4']) await end(task);
    expect(await Promise.all(all)).toEqual(['1', '2', '3', '4']);
  });

  it('alternate between the queues, so that a long one does not delay a short one', async () => {
    const { begun, take, end } = stage({ atATime: 1 });
    const asked = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'];
    for (const task of asked) void take(task.charAt(0), task);
    for (let at = 0; at < asked.length; at++) await end(begun.at(-1) ?? '');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('pass on if a task fails', async () => {
    const { begun, take, end } = stage({ atATime: 1 });
    const failing = take('a', '1').catch((error: Error) => error.message);
    void take('a', '2');
    await end('1', new Error('no luck'));
    expect([await failing, begun]).toEqual(['no luck', ['1', '2']]);
  });

  it('refuse an item if too many wait in its own queue, or in all', async () => {
    const { begun, take, end } = stage({ atATime: 1, waiting: 3, waitingOfLine: 2 });
    for (const task of ['a1', 'a2', 'a3']) void take('a', task);
    await expect(take('a', 'a4')).rejects.toThrow(Full);
    void take('b', 'b1');
    await expect(take('b', 'b2')).rejects.toThrow(Full);
    await end('a1');
    void take('b', 'b3');
    for (const task of ['a2', 'b1', 'a3', 'b3']) await end(task);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b3']);
  });

  it('leave room for one item of every queue, however many wait', async () => {
    const { begun, take, end } = stage({ atATime: 1, waiting: 2, waitingOfLine: 2 });
    for (const task of ['a1', 'a2', 'a3']) void take('a', task);
    void take('b', 'b1');
    void take('c', 'c1');
    for (const task of ['a1', 'a2', 'b1', 'c1', 'a3']) await end(task);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('leave the last slot to those that do not yield, however many yield', async () => {
    const { begun, take, end } = stage({ waiting: 4, waitingOfYieldingLine: 2 });
    for (const task of ['s1', 's2', 's3', 't1', 't2']) void take(task.charAt(0), task, true);
    await expect(take('s', 's4', true)).rejects.toThrow(Full);
    for (const task of ['l1', 'l2', 'l3', 'l4', 'l5']) void take('l', task);
    expect(begun).toEqual(['s1', 'l1']);
    await end('l1');
    expect(begun).toEqual(['s1', 'l1', 'l2']);
    for (const task of ['s1', ...begun.slice(2)]) await end(task);
    for (let at = 3; at < 10; at++) await end(begun[at] ?? '');
    expect(begun.toSorted()).toEqual(['l1', 'l2', 'l3', 'l4', 'l5', 's1', 's2', 's3', 't1', 't2']);
  });

  it('run a limited number of a queue at a time', async () => {
    const { begun, take, end } = stage({ atATimeOfLine: 1 });
    for (const task of ['a1', 'a2', 'b1', 'c1']) void take(task.charAt(0), task);
    expect(begun).toEqual(['a1', 'b1']);
    for (const task of ['b1', 'a1', 'c1', 'a2']) await end(task);
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('are free again when all have ended', async () => {
    const { begun, take, end } = stage({ atATime: 1 });
    for (const task of ['1', '2']) void take('a', task);
    for (const task of ['1', '2']) await end(task);
    void take('a', '3');
    expect(begun).toEqual(['1', '2', '3']);
  });
});
