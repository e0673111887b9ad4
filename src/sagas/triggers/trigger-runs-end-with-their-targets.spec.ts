import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import { triggerRunId } from '../../areas/account-events/trigger-run/trigger-run.record.js';
import type { TriggerRunJournal } from '../../areas/account-events/trigger-run/trigger-run-journal.api.js';
import { TriggerRunsEndWithTheirTargets } from './trigger-runs-end-with-their-targets.saga.js';

const [one, two] = [triggerRunId('event', 'et_1'), triggerRunId('event', 'et_2')];
const at = '2030-01-01T00:00:00.000Z';
const ended = (runId: string, revision: number, more: object = {}) =>
  of(
    'run',
    'fn_1',
    { type: 'RunEnded', data: { runId, attempt: 1, error: null, retryAt: null, ...more } },
    { revision },
  );

function scene() {
  const stage = new Stage();
  const saga = new TriggerRunsEndWithTheirTargets(stage.noting<TriggerRunJournal>({ write: 'writes' }));
  return { saga, given: givenSaga(saga, stage) };
}

describe('the ends of runs', () => {
  it('that triggers started are recorded with them, in one entry for a workspace, and no others', () => {
    const runs = [
      { runId: one, attempt: 1, status: 'ok', at },
      { runId: two, attempt: 1, status: 'failed', at },
    ];
    const entry = expect.objectContaining({
      workspaceId: 'ws_spec',
      operation: 'trigger-runs-end-with-their-targets',
      event: { type: 'TriggerRunsEnded', data: { runs } },
    });
    return scene()
      .given.gets(ended(one, 1), ended('run_by_webhook', 2), ended(two, 3, { error: 'It failed.' }))
      .does(['writes', [entry], { mayBatch: true }]);
  });

  it('show for an attempt that is to be repeated that the run continues', () => {
    const runs = [{ runId: one, attempt: 1, status: null, at }];
    const entry = expect.objectContaining({ event: { type: 'TriggerRunsEnded', data: { runs } } });
    return scene()
      .given.gets(ended(one, 1, { error: 'It failed.', retryAt: at }))
      .does(['writes', [entry], { mayBatch: false }]);
  });

  it('need no order: one that cannot be recorded delays no other', () => {
    const { saga } = scene();
    expect(saga.subjectOf(ended(one, 1))).not.toBe(saga.subjectOf(ended(two, 2)));
  });
});
