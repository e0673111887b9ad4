import { beforeEach, describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import { SagaScene } from '../../../test/support/given/saga-scene.js';
import { schedules } from '../../areas/triggers/schedule/schedule.record.js';
import { ScheduleDeletion } from '../../areas/triggers/schedule/schedule-deletion.api.js';
import { refusalOf } from '../../engine/refusals/engine.refusals.js';
import type { ReplaySwitches } from '../../engine/retention/replay-switches.js';
import type { Targets } from '../../engine/scopes/targets.js';
import { auditSealed } from '../../kernel/audit-chain/signed-head.js';
import { type Refusal } from '../../kernel/refusals/refusal.js';
import { FiredSchedulesStartTheirTargets } from './fired-schedules-start-their-targets.saga.js';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});

function sagaWhoseTarget(refuses?: Refusal) {
  const noting = stage.noting<Targets>({ start: 'starts' });
  const refusing = {
    start: async () => {
      throw refuses;
    },
  } as unknown as Targets;
  const switches = { allows: async () => true } as unknown as ReplaySwitches;
  const deletion = new ScheduleDeletion(stage.runner);
  return new FiredSchedulesStartTheirTargets(refuses === undefined ? noting : refusing, switches, deletion);
}

const firedAt = '2030-01-01T00:00:00.000Z';
const data = { runId: 'run_1', firedAt, name: 'Nightly', targetKind: 'account_function', targetRef: 'fn_1' };
const fired = of('occurrence', 'sc_1', { type: 'OccurrenceFired', data });

describe('a fired schedule', () => {
  it('starts its target with the input of the contract', () =>
    givenSaga(sagaWhoseTarget(), stage)
      .gets(fired)
      .does([
        'starts',
        [
          expect.objectContaining({
            workspaceId: 'ws_spec',
            target: { kind: 'account_function', ref: 'fn_1' },
            runId: 'run_1',
            input: { _schedule: { id: 'sc_1', firedAt } },
            source: 'schedule',
            starter: { kind: 'schedule', id: 'sc_1', name: 'Nightly' },
            causationId: fired.id,
            keepInput: true,
          }),
        ],
      ]));

  it('is deleted if its target is deleted', () => {
    stage.holds(schedules, 'sc_1', { id: 'sc_1', targetKind: 'account_function', targetRef: 'fn_1' });
    return givenSaga(sagaWhoseTarget(refusalOf('resource-not-found')), stage)
      .gets(fired)
      .does(['records', 'schedule-ws_spec.sc_1', 'ScheduleDeleted', { reason: 'target-gone' }, 'target-gone']);
  });

  it.each([
    { targetKind: 'account_function', targetRef: 'fn_2' },
    { targetKind: 'site_function', targetRef: 'fn_1' },
  ])('is not deleted if its target is deleted after it got another one (%j)', (target) => {
    stage.holds(schedules, 'sc_1', { id: 'sc_1', ...target });
    return givenSaga(sagaWhoseTarget(refusalOf('resource-not-found')), stage)
      .gets(fired)
      .doesNothing();
  });

  it('that is deleted itself is not deleted again', () =>
    givenSaga(sagaWhoseTarget(refusalOf('resource-not-found')), stage)
      .gets(fired)
      .doesNothing());

  it.each([refusalOf('too-much-contention'), refusalOf('runs-quota', { megabytes: 1 })])(
    'starts nothing, now or later, if its target refuses ($code)',
    (refused) => givenSaga(sagaWhoseTarget(refused), stage).gets(fired).doesNothing(),
  );

  it('is not given up while a store is unavailable', async () => {
    const refused = refusalOf('store-unavailable', { store: 'event store' });
    await expect(givenSaga(sagaWhoseTarget(refused), stage).gets(fired).doesNothing()).rejects.toBe(refused);
  });

  it('starts nothing for an occurrence of last month if the read store was lost', async () => {
    const scene = new SagaScene();
    try {
      await scene.record('sc_1', 'old', 'OccurrenceFired', '2029-12-01T00:00:00.000Z');
      await scene.record('audit', 'seal', auditSealed, '2029-12-01T00:00:00.000Z');
      await scene.record('sc_1', 'newest', 'ThingDone');
      const run = await scene.start(sagaWhoseTarget());
      const last = await scene.record('sc_1', 'new', 'OccurrenceFired');
      await scene.until(() => run.position >= last);
      expect(stage.taken()).toHaveLength(1);
    } finally {
      await scene.close();
    }
  });
});
