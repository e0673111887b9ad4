import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../../test/support/given/given-saga.js';
import { sagaOf } from '../../../../test/support/given/job-saga.js';
import { publishJob } from './publish-requests.api.js';

describe('a publish that has started', () => {
  it('is handed to the builders, in the order of its project', () => {
    const stage = new Stage();
    const saga = sagaOf(stage, publishJob);
    const data = { deploymentId: 'dep_1', releaseVersion: null };
    const value = { workspaceId: 'ws_spec', projectId: 'proj_1', deploymentId: 'dep_1' };
    return givenSaga(saga, stage)
      .gets(of('publication', 'proj_1', { type: 'PublishStarted', data }))
      .does(['publishes', 'site-publishes', { id: 'dep_1', key: 'ws_spec/proj_1', value }]);
  });
});
