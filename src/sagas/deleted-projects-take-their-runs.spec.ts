import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { SiteRunRetention } from '../areas/functions/run/site-run-retention.api.js';
import { DeletedProjectsTakeTheirRuns } from './deleted-projects-take-their-runs.saga.js';

describe('a deleted project', () => {
  it('takes along the runs of its functions', () => {
    const stage = new Stage();
    const saga = new DeletedProjectsTakeTheirRuns(stage.noting<SiteRunRetention>({ forgetProject: 'forgets all of' }));
    return givenSaga(saga, stage)
      .gets(of('project', 'proj_1', { type: 'ProjectDeleted', data: {} }))
      .does(['forgets all of', 'ws_spec', 'proj_1']);
  });
});
