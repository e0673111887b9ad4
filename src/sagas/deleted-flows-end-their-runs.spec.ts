import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import { FlowRunEnding } from '../areas/flows/flow-run/flow-run-ending.api.js';
import type { FlowRuns } from '../areas/flows/flow-run/flow-runs.js';
import type { StepRuns } from '../engine/step-work/step-runs.js';
import { DeletedFlowsEndTheirRuns } from './deleted-flows-end-their-runs.saga.js';

describe('a deleted flow', () => {
  it('ends its runs that are going, and no others', () => {
    const stage = new Stage();
    const run = (id: string, status: string, targetId = 'flow_1') => ({ id, workspaceId: 'ws_spec', targetId, status });
    stage.shows(
      'flowRuns',
      ...[run('r_1', 'queued'), run('r_2', 'running'), run('r_3', 'waiting')],
      ...[run('r_4', 'success'), run('r_5', 'error'), run('r_6', 'running', 'flow_2')],
    );
    const kind = { collection: 'flowRuns' } as FlowRuns;
    const saga = new DeletedFlowsEndTheirRuns(
      new FlowRunEnding(stage.reads, kind, stage.noting<StepRuns>({ stop: 'stops' })),
    );
    const said = 'The flow was deleted while this run was going.';
    return givenSaga(saga, stage)
      .gets(of('flow', 'flow_1', { type: 'FlowDeleted', data: {} }))
      .does(...['r_1', 'r_2', 'r_3'].map((id) => ['stops', kind, 'ws_spec', id, said]));
  });
});
