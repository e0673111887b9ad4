import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import { sagaOf } from '../../../test/support/given/job-saga.js';
import type { AnyStepKind } from './step-kind.js';
import { stepJob } from './step-work.js';

describe('an accepted run of several steps', () => {
  it('is handed to the workers of its kind, with its present revision', () => {
    const stage = new Stage();
    const jobs = ['agentRun', 'flowRun'].map((category) =>
      stepJob({ category, topic: `${category}-steps`, concurrency: 1 } as unknown as AnyStepKind),
    );
    const value = { workspaceId: 'ws_spec', runId: 'frun_1' };
    return givenSaga(sagaOf(stage, ...jobs), stage)
      .gets(of('flowRun', 'frun_1', { type: 'StepRunAccepted', data: {} }, { revision: 3 }))
      .does(['publishes', 'flowRun-steps', { id: 'frun_1/3', key: 'ws_spec/frun_1', value }]);
  });
});
