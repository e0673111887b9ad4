import { beforeEach, describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../../test/support/given/given-saga.js';
import { sagaOf } from '../../../../test/support/given/job-saga.js';
import type { Saga } from '../../../engine/sagas/saga.js';
import { runJob } from './run-requests.api.js';

let stage: Stage;
let saga: Saga;
beforeEach(() => {
  stage = new Stage();
  saga = sagaOf(stage, runJob);
});

const accepted = (starter: object) =>
  of('run', 'fn_1', { type: 'RunAccepted', data: { runId: 'run_1', starter } }, { revision: 7 });
const value = { workspaceId: 'ws_spec', functionId: 'fn_1', runId: 'run_1', position: 7 };

describe('an accepted run', () => {
  it('is handed to the runners once, in the order of its function', () =>
    givenSaga(saga, stage)
      .gets(accepted({ kind: 'webhook', id: 'wh_1', name: 'W' }))
      .does(['publishes', 'run-requests', { id: 'run_1', key: 'ws_spec/fn_1', value }]));

  it('that an event started keeps the order of its trigger', () =>
    givenSaga(saga, stage)
      .gets(accepted({ kind: 'event', id: 'et_1', name: 'E' }))
      .does(['publishes', 'run-requests', { id: 'run_1', key: 'ws_spec/fn_1/et_1', value }]));
});
