import { describe, expect, it } from '@jest/globals';
import { FairTurns } from './fair-turns.js';

class Full extends Error {}

/** Tasks that end when they are told to. */
function stage(limits: { readonly atATime: number; readonly waiting: number; readonly waitingOfOne: number }) {
  const turns = new FairTurns({ ...limits, full: () => new Full() });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const take = (queue: string, task: string) =>
    turns.take(queue, () => {
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

const wide = { atATime: 2, waiting: 100, waitingOfOne: 100 };

describe('turns', () => {
  it('run so many at a time, and the next when one ends', async () => {
    const { begun, take, end } = stage(wide);
    const all = ['1', '2', '3', '4'].map((task) => take('a', task));
    expect(begun).toEqual(['1', '2']);
    await end('2');
    expect(begun).toEqual(['1', '2', '3']);
    for (const task of ['1', '3', '4']) await end(task);
    expect(await Promise.all(all)).toEqual(['1', '2', '3', '4']);
  });

  it('go round the queues, so that the many of one do not hold up the few of another', async () => {
    const { begun, take, end } = stage({ ...wide, atATime: 1 });
    const asked = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'];
    for (const task of asked) void take(task.charAt(0), task);
    for (let at = 0; at < asked.length; at++) await end(begun.at(-1) ?? '');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('pass on when a task fails', async () => {
    const { begun, take, end } = stage({ ...wide, atATime: 1 });
    const failing = take('a', '1').catch((error: Error) => error.message);
    void take('a', '2');
    await end('1', new Error('no luck'));
    expect([await failing, begun]).toEqual(['no luck', ['1', '2']]);
  });

  it('refuse whoever would wait behind too many of the own queue, or of all', async () => {
    const { begun, take, end } = stage({ atATime: 1, waiting: 3, waitingOfOne: 2 });
    for (const task of ['a1', 'a2', 'a3']) void take('a', task);
    await expect(take('a', 'a4')).rejects.toThrow(Full);
    void take('b', 'b1');
    await expect(take('b', 'b2')).rejects.toThrow(Full);
    await end('a1');
    void take('b', 'b3');
    for (const task of ['a2', 'b1', 'a3', 'b3']) await end(task);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b3']);
  });

  it('leave room for one of every queue, however many wait', async () => {
    const { begun, take, end } = stage({ atATime: 1, waiting: 2, waitingOfOne: 2 });
    for (const task of ['a1', 'a2', 'a3']) void take('a', task);
    void take('b', 'b1');
    void take('c', 'c1');
    for (const task of ['a1', 'a2', 'b1', 'c1', 'a3']) await end(task);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('are free again when all have ended', async () => {
    const { begun, take, end } = stage({ ...wide, atATime: 1 });
    for (const task of ['1', '2']) void take('a', task);
    for (const task of ['1', '2']) await end(task);
    void take('a', '3');
    expect(begun).toEqual(['1', '2', '3']);
  });
});
