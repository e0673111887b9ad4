import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { StepKinds } from '../engine/step-work/step-kinds.js';
import type { Messages } from '../ports/messages.port.js';
import { AcceptedStepRunsAreHandedToWorkers } from './accepted-step-runs-are-handed-to-workers.saga.js';

describe('an accepted run of several steps', () => {
  it('is handed to the workers of its kind, with the revision at which it stands', () => {
    const stage = new Stage();
    const kinds = { of: (category: string) => ({ topic: `${category}-steps` }) } as unknown as StepKinds;
    const saga = new AcceptedStepRunsAreHandedToWorkers(stage.noting<Messages>({ publish: 'publishes' }), kinds);
    const value = { workspaceId: 'ws_spec', runId: 'frun_1' };
    return givenSaga(saga, stage)
      .gets(of('flowRun', 'frun_1', { type: 'StepRunAccepted', data: {} }, { revision: 3 }))
      .does(['publishes', 'flowRun-steps', { id: 'frun_1/3', key: 'ws_spec/frun_1', value }]);
  });
});
