import { describe, it } from '@jest/globals';
import { triggerRunId } from '../../src/areas/account-events/trigger-run/trigger-run.record.js';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { triggerRunsProjection } from './trigger-run.projection.js';

const at = '2030-01-01T00:00:00.000Z';
const fired = (id: string, started: readonly string[], more: object = {}) => ({
  type: 'TriggersFired',
  data: { event: { id, name: 'order.paid' }, cause: null, root: id, started, skipped: [], ...more },
});
const given = (...events: readonly { readonly type: string; readonly data: object }[]) => {
  const log = new SpecLog();
  for (const event of events) log.add('triggerRun', 'ws_spec', event);
  return givenProjection(triggerRunsProjection, log);
};
const [one, two] = [triggerRunId('ev_1', 'et_1'), triggerRunId('ev_1', 'et_2')];
const inOrder = (...runs: readonly { readonly id: string }[]) => runs.toSorted((a, b) => (a.id < b.id ? -1 : 1));
const firing = { id: 'ev_1', root: 'ev_1', chain: 1 };
const counted = { id: 'et_1', count: 1, lastFiredAt: at };

describe('an event that fired triggers', () => {
  it('shows what it started and skipped, and counts only what it started', () =>
    given(fired('ev_1', ['et_1'], { skipped: [{ reason: 'inactive', triggerIds: ['et_2'] }] })).shows({
      triggerRuns: inOrder(
        { id: one, triggerId: 'et_1', status: 'queued', attempts: 0, finishedAt: null } as { id: string },
        { id: two, triggerId: 'et_2', status: 'skipped', reason: 'inactive', finishedAt: at } as { id: string },
      ),
      firingEvents: [firing],
      triggerFirings: [counted],
    }));

  it('lengthens the chain that it is part of', () =>
    given(fired('ev_1', ['et_1']), fired('ev_2', ['et_1', 'et_2'], { root: 'ev_1' }), {
      type: 'TriggerRunsForgotten',
      data: { throughRevision: -1, fired: [] },
    }).shows({
      triggerRuns: inOrder({ id: one }, { id: triggerRunId('ev_2', 'et_1') }, { id: triggerRunId('ev_2', 'et_2') }),
      firingEvents: [
        { id: 'ev_1', chain: 3 },
        { id: 'ev_2', chain: 0 },
      ],
      triggerFirings: [
        { id: 'et_1', count: 2 },
        { id: 'et_2', count: 1 },
      ],
    }));

  it('reverts the count for a target that could not be started', () =>
    given(fired('ev_1', ['et_1']), {
      type: 'TriggerRunsNotStarted',
      data: { runs: [{ runId: one, triggerId: 'et_1', reason: null }] },
    }).shows({
      triggerRuns: [{ id: one, status: 'failed', finishedAt: at }],
      firingEvents: [firing],
      triggerFirings: [{ id: 'et_1', count: 0 }],
    }));

  it('shows the first end of a run', () => {
    const end = (status: string | null, attempt: number) => ({
      type: 'TriggerRunsEnded',
      data: { runs: [{ runId: one, attempt, status, at }] },
    });
    given(fired('ev_1', ['et_1']), end(null, 1), end('ok', 2), end('failed', 2)).shows({
      triggerRuns: [{ id: one, status: 'ok', attempts: 2, finishedAt: at }],
      firingEvents: [firing],
      triggerFirings: [counted],
    });
  });

  it('is deleted with its runs, and the count remains', () =>
    given(fired('ev_1', ['et_1']), {
      type: 'TriggerRunsForgotten',
      data: { throughRevision: 0, fired: [{ triggerId: 'et_1', count: 1, lastFiredAt: at }] },
    }).shows({ triggerFirings: [counted] }));
});
