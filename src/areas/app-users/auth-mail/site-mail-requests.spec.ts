import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../../test/support/given/given-saga.js';
import { sagaOf } from '../../../../test/support/given/job-saga.js';
import { siteMailJob } from './site-mail-requests.api.js';

describe('accepted mail of a site', () => {
  it('is handed to its senders, in the order of its site', () => {
    const stage = new Stage();
    const saga = sagaOf(stage, siteMailJob);
    const value = { workspaceId: 'ws_spec', mailId: 'sm_1' };
    return givenSaga(saga, stage)
      .gets(of('siteMail', 'sm_1', { type: 'SiteMailAccepted', data: { projectId: 'site_1', kind: 'verify' } }))
      .does(['publishes', 'site-mail', { id: 'sm_1/0', key: 'ws_spec/site_1', value }]);
  });
});
