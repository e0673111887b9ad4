import { Injectable } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { Project } from '../../sites/project/project.record.js';
import { type Campaign, campaigns } from '../campaign/campaign.record.js';
import { textOfHtml } from '../campaign/text-of-html.api.js';
import type { CampaignTexts } from './campaign-mail.js';

/** Placeholders in the texts are not filled in. */
@Injectable()
export class CampaignWords {
  constructor(private readonly texts: RecordTexts) {}

  /** @throws TextsUnavailable */
  async of(campaign: Campaign, { appDisplayName, name }: Project): Promise<CampaignTexts> {
    const { subject, html, text } = await this.texts.whole(campaigns, campaign.workspaceId, campaign);
    const markup = String(html);
    return {
      subject,
      html: markup,
      text: text === null || text === '' ? textOfHtml(markup) : String(text),
      appName: appDisplayName ?? name,
    };
  }
}
