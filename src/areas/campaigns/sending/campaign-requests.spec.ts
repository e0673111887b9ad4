import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../../test/support/given/given-saga.js';
import { sagaOf } from '../../../../test/support/given/job-saga.js';
import { campaignJob } from './campaign-requests.api.js';

describe('a campaign that begins or continues', () => {
  const value = { workspaceId: 'ws_spec', campaignId: 'cmp_1' };

  it.each(['CampaignSendingBegun', 'CampaignResumed'] as const)('is handed to its senders: %s', (type) => {
    const stage = new Stage();
    return givenSaga(sagaOf(stage, campaignJob), stage)
      .gets(of('campaign', 'cmp_1', { type, data: { projectId: 'site_1', mailAccountId: 'ma_1', mailbox: 'out' } }))
      .does(['publishes', 'campaigns', { id: 'cmp_1', key: 'ws_spec/cmp_1', value }]);
  });
});
