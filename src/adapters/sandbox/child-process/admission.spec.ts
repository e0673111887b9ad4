import { type Computing, RunAdmission } from './admission.js';
import { FairShares } from './fair-shares.js';
import { ProcessSlots } from './process-slots.js';
import { type WaitingRun, waitingFor } from './waiting.js';

describe('Admission', () => {
  let at = 1_000;
  const now = () => at;
  const shares = () => new FairShares({ perMs: 2, burstMs: 500, mostMs: 5_000 }, now);
  const admission = (computing = shares()) => new RunAdmission({ parallel: 2 }, new ProcessSlots(16), computing, now);

  const waits = (workspace: string, since = at, byVisitors = false): WaitingRun => {
    const program = { source: '' };
    const job = { isolateKey: `${workspace}/f/1`, program, params: {}, context: {}, capabilities: [], byVisitors };
    const answers = { resolve: () => undefined, reject: () => undefined };
    return { ...waitingFor({ ...job, timeoutMs: 1_000, captureLogs: false }, answers), since };
  };
  const computes = (workspace: string, more: Partial<Computing> = {}): Computing => ({
    priority: 'front',
    waiting: waits(workspace),
    computingSince: 0,
    computedMs: 100,
    ...more,
  });

  it('lets as many runs compute at once as there are cores, in both queues', () => {
    const busy = [computes('a'), computes('b'), computes('c', { computingSince: undefined })];
    expect([admission().room('front', busy), admission().room('back', busy)]).toEqual([0, 2]);
    expect(admission().admits(waits('a'), 0, busy)).toBe(false);
    expect(admission().admits(waits('a'), 1, busy)).toBe(true);
  });

  it('stops counting a run that has computed for long in total, even with pauses', () => {
    const pausers = [computes('a', { computingSince: 999, computedMs: 501 }), computes('a', { computedMs: 4_000 })];
    expect(admission().room('front', pausers)).toBe(2);
  });

  it('admits a workspace with no computing run beside runs that are not about to end', () => {
    const [quick, slow] = [computes('a', { computedMs: 5 }), computes('b')];
    expect(admission().admits(waits('c'), 0, [quick, quick])).toBe(false);
    expect(admission().admits(waits('c'), 0, [quick, slow])).toBe(true);
    expect(admission().admits(waits('b'), 0, [quick, slow])).toBe(false);
  });

  it('admits a workspace with no computing run once it has waited a little', () => {
    const busy = [computes('a', { computedMs: 5 }), computes('b', { computedMs: 5 })];
    const [patient, own] = [waits('c', at - 60), waits('a', at - 60)];
    expect(admission().admits(patient, 0, busy)).toBe(true);
    expect(admission().admits(own, 0, busy)).toBe(false);
  });

  it('reserves one slot from visitors while callers with a key request runs', () => {
    const one = admission();
    const [visitors, keyed] = [waits('a', at, true), waits('a')];
    const busy = [computes('b', { computedMs: 5 })];
    expect(one.admits(visitors, 1, busy)).toBe(true);
    one.requested(visitors);
    expect(one.admits(visitors, 1, busy)).toBe(true);
    one.requested(keyed);
    expect([one.admits(visitors, 1, busy), one.admits(keyed, 1, busy)]).toEqual([false, true]);
    expect(one.admits(visitors, 2, [])).toBe(true);
    at += 1_000;
    expect(one.admits(visitors, 1, busy)).toBe(true);
  });

  it('moves workspaces that exceed their share to the back, until they no longer do', () => {
    const computing = shares();
    computing.charge('a', 2_000);
    const priorityOf = (workspace: string) => admission(computing).priorityOf(workspace);
    expect([priorityOf('a'), priorityOf('b')]).toEqual(['back', 'front']);
    at += 2_000;
    expect(priorityOf('a')).toBe('front');
  });
});
