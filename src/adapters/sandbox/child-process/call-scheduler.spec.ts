import { CallScheduler } from './call-scheduler.js';
import { FairShares } from './fair-shares.js';

describe('CallTurns', () => {
  const small = async () => 0.01;
  const soon = () => new Promise((resolve) => setImmediate(resolve));

  const made = () => {
    let at = 0;
    const turns = new CallScheduler(new FairShares({ perMs: 0.5, burstMs: 400, mostMs: 2_000 }, () => at));
    return { turns, pass: (ms: number) => (at += ms) };
  };

  it('delays calls of a workspace that has used too much of the thread, and of no other', async () => {
    const { turns, pass } = made();
    turns.spent('flood', 600);
    let hasBegun = false;
    const held = turns.run('flood', () => {
      hasBegun = true;
      return small();
    });
    await turns.run('neighbour', small);
    await soon();
    expect(hasBegun).toBe(false);
    pass(10_000);
    await held;
    expect(hasBegun).toBe(true);
  });

  it('counts answers in transit, so that not all arrive at once', async () => {
    const { turns } = made();
    let underWay = 0;
    const never = () => {
      underWay += 1;
      return new Promise<never>(() => undefined);
    };
    for (let at = 0; at < 192; at += 1) void turns.run('flood', never);
    await soon();
    expect(underWay).toBeLessThan(40);
  });

  it('remembers the cost of calls, so that fewer expensive ones are in progress at once', async () => {
    const { turns, pass } = made();
    await turns.run('flood', async () => 60);
    pass(10_000);
    let underWay = 0;
    const never = () => {
      underWay += 1;
      return new Promise<never>(() => undefined);
    };
    for (let at = 0; at < 192; at += 1) void turns.run('flood', never);
    await soon();
    expect(underWay).toBeLessThan(5);
  });

  it('admits a workspace with many cheap calls at once', async () => {
    const { turns } = made();
    for (let at = 0; at < 1_000; at += 1) await turns.run('modest', small);
    expect(turns.waitOf('modest')).toBe(0);
  });

  it('continues after a failed call', async () => {
    const { turns } = made();
    await expect(turns.run('a', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    await turns.run('a', small);
  });
});
