import { parseStream } from '../../../kernel/event/stream-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { aboutAppUser, aboutProject, type Builtin } from './builtin-line.api.js';

/** The events contain no email addresses. */
export const campaignBuiltins: readonly Builtin[] = [
  {
    on: 'CampaignSent',
    name: 'site.campaign_sent',
    description: 'A campaign of a site was sent to all its recipients.',
    subject: ({ data }) => ({ type: 'project', id: (data as JsonObject)['projectId'] }),
    ofSite: aboutProject,
    properties: ({ projectId, recipients, sent, failed, suppressed }, { stream }) => ({
      projectId,
      campaignId: parseStream(stream).id,
      recipients,
      sent,
      failed,
      suppressed,
    }),
  },
  {
    on: 'SuppressionAdded',
    name: 'site.unsubscribed',
    description: 'A user unsubscribed from the mailings of a site.',
    when: ({ data }) => (data as JsonObject)['reason'] === 'unsubscribed',
    subject: ({ data }) => ({ type: 'appUser', id: (data as JsonObject)['userId'] }),
    ofSite: aboutAppUser,
    properties: ({ projectId, campaignId }) => ({ projectId, campaignId }),
  },
];
