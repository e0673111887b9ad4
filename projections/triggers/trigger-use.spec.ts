import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { triggerUsesProjection } from './trigger-use.projection.js';

const starter = { kind: 'webhook', id: 'wh_1', name: 'W' };
const [early, late] = ['2030-01-01T00:00:00.000Z', '2030-01-02T00:00:00.000Z'];
const accepted = (more: object = {}) => ({ type: 'RunAccepted', data: { runId: 'run_1', starter, ...more } });

describe('the use of a trigger', () => {
  it('is the latest run that it started', () => {
    const log = new SpecLog()
      .add('run', 'fn_1', accepted(), { at: late })
      .add('run', 'fn_1', accepted(), { at: early });
    givenProjection(triggerUsesProjection, log).shows({
      triggerUses: [{ id: 'wh_1', category: 'run', functionId: 'fn_1', lastTriggered: late }],
    });
  });

  it('ignores replays, runs that no trigger started, and attempts of accepted runs', () => {
    const log = new SpecLog()
      .add('run', 'fn_1', accepted({ replayOf: 'run_0' }))
      .add('run', 'fn_1', accepted({ starter: { kind: 'person', id: 'mem_1', name: 'Ada' } }))
      .add('run', 'fn_1', { type: 'RunStarted', data: { runId: 'run_1', starter, accepted: true } });
    givenProjection(triggerUsesProjection, log).showsNothing();
  });

  it('includes a run with a waiting caller, and the run of a flow', () => {
    const other = { ...starter, id: 'wh_2' };
    const log = new SpecLog()
      .add('run', 'fn_1', { type: 'RunStarted', data: { runId: 'run_1', starter, accepted: false } })
      .add('flowRun', 'r_1', { type: 'StepRunAccepted', data: { starter: other } });
    givenProjection(triggerUsesProjection, log).shows({
      triggerUses: [
        { id: 'wh_1', functionId: 'fn_1' },
        { id: 'wh_2', category: 'flowRun', functionId: null },
      ],
    });
  });

  it('remains after the journal is pruned, and is deleted with a webhook', () => {
    const forgotten = (triggerId: string) => ({
      type: 'RunsForgotten',
      data: { throughRevision: 9, triggers: [{ triggerId, at: early }] },
    });
    const log = new SpecLog()
      .add('run', 'fn_1', forgotten('wh_1'))
      .add('run', 'fn_1', forgotten('wh_2'))
      .add('webhook', 'wh_1', { type: 'WebhookDeleted', data: { reason: 'asked' } });
    givenProjection(triggerUsesProjection, log).shows({ triggerUses: [{ id: 'wh_2', lastTriggered: early }] });
  });
});
