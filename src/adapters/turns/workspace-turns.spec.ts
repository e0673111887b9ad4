import { describe, expect, it } from '@jest/globals';
import { type Patience, TurnsTaken, WorkspaceTurns } from './workspace-turns.js';

async function begun(turns: WorkspaceTurns, asked: readonly (readonly [string, string, Patience?])[]) {
  const order: string[] = [];
  const all = asked.map(async ([name, workspace, patience]) => {
    const end = await turns.acquire(workspace, patience);
    order.push(name);
    setImmediate(end);
  });
  await Promise.all(all);
  return order;
}

const visitors = (behind: string): Patience => ({ behind });

describe('turns', () => {
  it('alternate between workspaces, and within one its foreground work comes first', async () => {
    const order = await begun(new WorkspaceTurns({ most: 1, mostEach: 1 }), [
      ['first', 'a'],
      ['visitor of a', 'a', visitors('s1')],
      ['own of a', 'a'],
      ['another of a', 'a'],
      ['own of b', 'b'],
    ]);
    expect(order).toEqual(['first', 'own of a', 'own of b', 'another of a', 'visitor of a']);
  });

  it('of background work alternate between groups of one name', async () => {
    const order = await begun(new WorkspaceTurns({ most: 1, mostEach: 1 }), [
      ['first', 'a', visitors('s1')],
      ['1', 'a', visitors('s1')],
      ['2', 'a', visitors('s1')],
      ['3', 'a', visitors('s1')],
      ['other site', 'a', visitors('s2')],
    ]);
    expect(order).toEqual(['first', '1', 'other site', '2', '3']);
  });

  it('of background work leave a slot to all others', async () => {
    const turns = new WorkspaceTurns({ most: 2, mostEach: 2, mostBehind: 1 });
    await turns.acquire('a', visitors('s1'));
    let second = false;
    void turns.acquire('b', visitors('s2')).then(() => {
      second = true;
    });
    await turns.acquire('b');
    expect(second).toBe(false);
  });

  it('go first to workspaces that have none', async () => {
    const turns = new WorkspaceTurns({ most: 2, mostEach: 1, mostBehind: 1 });
    await turns.acquire('a');
    const endOfB = await turns.acquire('b');
    const order: string[] = [];
    const begun = (name: string) => (end: () => void) => {
      order.push(name);
      setImmediate(end);
    };
    const visitor = turns.acquire('a', visitors('s1')).then(begun('visitor of a'));
    const other = turns.acquire('c').then(begun('own of c'));
    endOfB();
    await Promise.all([visitor, other]);
    expect(order).toEqual(['own of c', 'visitor of a']);
  });

  it('are refused beyond the maximum of a share, after a long wait, and to all when they are cleared', async () => {
    const turns = new WorkspaceTurns({ most: 1, mostEach: 1 });
    const end = await turns.acquire('a');
    const patience = { ...visitors('s1'), waiting: 1 };
    const waiting = turns.acquire('a', patience);
    await expect(turns.acquire('a', patience)).rejects.toThrow(TurnsTaken);
    const other = turns.acquire('a', { ...visitors('s2'), waiting: 1 });
    await expect(turns.acquire('a', { waitMs: 1 })).rejects.toThrow(TurnsTaken);
    end();
    (await waiting)();
    await other;
    const last = turns.acquire('a', visitors('s1'));
    turns.clear(new Error('over'));
    await expect(last).rejects.toThrow('over');
  });
});
