import { Injectable } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { shapeOf } from '../../../kernel/field/field.js';
import type { CampaignStats } from '../sending/campaign-batch.record.js';
import { type Campaign, campaigns } from './campaign.record.js';

const count = { type: 'integer' } as const;

export const CampaignStatsShape = shapeOf('CampaignStats', {
  recipients: { ...count, description: 'Number of recipients listed so far.' },
  sent: { ...count, description: 'Number of mails that a mail server accepted.' },
  failed: count,
  suppressed: { ...count, description: 'Number of recipients skipped because their address is suppressed.' },
  waiting: { ...count, description: 'Number of recipients whose mail is still to be sent.' },
  unsubscribed: { ...count, description: 'Number of recipients who unsubscribed through a link of this campaign.' },
});

const noCounts = { recipients: 0, sent: 0, failed: 0, suppressed: 0, waiting: 0, unsubscribed: 0 };

@Injectable()
export class CampaignAnswers {
  constructor(
    private readonly texts: RecordTexts,
    private readonly reads: Reads,
  ) {}

  async of(campaign: Campaign) {
    const { workspaceId, id } = campaign;
    const [{ html, text }, stats] = await Promise.all([
      this.texts.whole(campaigns, workspaceId, campaign),
      this.reads.get<CampaignStats>(workspaceId, 'campaignStats', id),
    ]);
    return { html: String(html), text: text === null ? null : String(text), stats: stats ?? noCounts };
  }
}
