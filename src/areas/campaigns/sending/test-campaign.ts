import { Injectable } from '@nestjs/common';
import { UniqueNameLookup } from '../../../engine/commands/unique-name-lookup.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { canonicalAddress } from '../../../kernel/mail/mail-address.js';
import { MailError } from '../../../ports/network/mail.port.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { type Member, memberEmail } from '../../workspace/member/member.record.js';
import type { Campaign } from '../campaign/campaign.record.js';
import { refuse } from '../campaigns.refusals.js';
import { Suppressions } from '../suppression/suppressions.api.js';
import { Unsubscribing } from '../suppression/unsubscribing.api.js';
import { writeCampaign } from './campaign-mail.js';
import { CampaignWords } from './campaign-words.js';

/** The mail is marked as a test, but is otherwise the mail that recipients would get. */
@Injectable()
export class TestCampaign {
  constructor(
    private readonly lookup: UniqueNameLookup,
    private readonly words: CampaignWords,
    private readonly mailboxes: Mailboxes,
    private readonly suppressions: Suppressions,
    private readonly unsubscribing: Unsubscribing,
  ) {}

  /** @throws Refusal campaign-test-recipient, campaign-test-failed, needsMailbox, mailbox-hourly-limit */
  async send(call: OperationContext, campaign: Campaign, project: Project, to: string): Promise<void> {
    const { workspaceId, actor, operation, correlationId, causationId } = call;
    const email = canonicalAddress(to);
    const member = email && ((await this.lookup.holderOf(workspaceId, memberEmail(email, ''))) as Member | undefined);
    if (!email || !member) return refuse('campaign-test-recipient');
    const suppressionId = this.suppressions.idOf(workspaceId, project.id, email);
    const link = this.unsubscribing.linkOf(project, { campaignId: campaign.id, userId: member.id, suppressionId });
    const person = { email, name: member.name, customFields: {} };
    const mail = writeCampaign(await this.words.of(campaign, project), person, link);
    const cause = { actor, operation, correlationId, causationId, siteId: project.id };
    try {
      await this.mailboxes.send(
        workspaceId,
        undefined,
        { to: email, ...mail, subject: `[Test] ${mail.subject}` },
        cause,
      );
    } catch (error) {
      if (error instanceof MailError) return refuse('campaign-test-failed', { because: error.message });
      throw error;
    }
  }
}
