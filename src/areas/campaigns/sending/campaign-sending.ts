import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { DueWork } from '../../../engine/jobs/due-job.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { BulkMail } from '../../mailboxes/mail/bulk-mail.api.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import { type Project, projects } from '../../sites/project/project.record.js';
import { type Campaign, type CampaignEvent, campaigns } from '../campaign/campaign.record.js';
import {
  awaitSending,
  beginSending,
  continueSending,
  endSending,
  missSchedule,
  type Wait,
} from '../campaign/campaign-life.api.js';
import { AudienceListing } from './audience-listing.js';
import { BatchMoves } from './batch-moves.js';
import { BatchSender } from './batch-sender.js';
import type { CampaignStats } from './campaign-batch.record.js';
import type { CampaignMessage } from './campaign-requests.api.js';
import { CampaignWords } from './campaign-words.js';
import { Pauses } from './pauses.js';

/** Maximum time, in milliseconds, that a worker sends one campaign before it continues with other campaigns. */
const turnMs = 60_000;
const mailboxGone =
  'its mailbox was deleted, was switched off or no longer serves the site. resumeCampaign continues with the default mailbox of the site.';

/** Several processes can send the same campaign at the same time, each the batches that it has claimed. */
@Injectable()
export class CampaignSending implements DueWork<Campaign, CampaignMessage> {
  private readonly pauses: Pauses;

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly listing: AudienceListing,
    private readonly batches: BatchMoves,
    private readonly sender: BatchSender,
    private readonly words: CampaignWords,
    private readonly bulk: BulkMail,
    private readonly mailboxes: Mailboxes,
    private readonly calls: Calls,
    private readonly clock: Clock,
  ) {
    this.pauses = new Pauses(clock);
  }

  async attempt({ workspaceId, campaignId }: CampaignMessage, stopping: AbortSignal): Promise<void> {
    const campaign = await this.runner.find(campaigns, workspaceId, campaignId);
    const project = campaign && (await this.runner.find(projects, workspaceId, campaign.projectId));
    if (campaign === undefined || project === undefined || this.pauses.isPausing(campaign)) return;
    if (campaign.status === 'draft') return this.beginScheduled(campaign, project);
    if (!isSending(campaign)) return;
    if (campaign.audience === null) await this.listing.list(campaign, project, stopping);
    const until = this.clock.now() + turnMs;
    while (!stopping.aborted && this.clock.now() < until) {
      if (!(await this.sendSome(workspaceId, campaignId, project, stopping))) break;
    }
    await this.isDone(campaign);
  }

  private async sendSome(workspaceId: string, id: string, project: Project, stopping: AbortSignal): Promise<boolean> {
    const campaign = await this.runner.find(campaigns, workspaceId, id);
    if (campaign === undefined || !isSending(campaign)) return false;
    const account = await this.bulk.usable(workspaceId, campaign.mailAccountId ?? '', campaign.projectId);
    if (account === undefined) return this.wait(campaign, project, { for: 'mailbox', because: mailboxGone });
    const actor = systemActor('campaigns');
    const cause = { actor, operation: 'campaigns', correlationId: id, causationId: null, siteId: project.id };
    const { quota, endsInMs } = await this.bulk.remainingQuota(account, cause);
    if (quota === 0) {
      const because = `the hourly limit of the mailbox '${account.name}' is reached.`;
      return this.wait(campaign, project, { for: 'hourly-limit', because }, endsInMs);
    }
    const batch = await this.batches.claim(campaign);
    if (batch === undefined) return false;
    const words = await this.words.of(campaign, project);
    const stuck = await this.sender.send({ campaign, project, words, account }, batch, stopping);
    if (stuck !== null) {
      const wait = { for: 'mailbox', because: stuck } as const;
      // If another process is sending the campaign, the mailbox works. The fault is between this process and the mail
      // server, so only this process pauses.
      if (!(await this.batches.areWithOthers(campaign))) return this.wait(campaign, project, wait);
      this.pauses.begin(campaign, wait.for);
      return false;
    }
    this.pauses.remove(campaign);
    if (campaign.waitsFor !== null) await this.change(campaign, continueSending);
    return true;
  }

  private async isDone({ workspaceId, id }: Campaign): Promise<boolean> {
    const campaign = await this.runner.find(campaigns, workspaceId, id);
    if (campaign?.status !== 'sending') return true;
    if (campaign.audience === null) return false;
    const stats = await this.reads.get<CampaignStats>(workspaceId, 'campaignStats', id);
    if (stats === undefined || stats.waiting > 0 || stats.recipients !== campaign.audience) return false;
    const after = await this.change(campaign, (before) => endSending(before, stats));
    return after?.status !== 'sending';
  }

  private async wait(campaign: Campaign, project: Project, wait: Wait, atMostMs?: number): Promise<false> {
    if (await this.isDone(campaign)) return false;
    const notice = this.noticeContext(campaign, project);
    const from = this.clock.now();
    const after = await this.change(campaign, (before) => awaitSending(before, wait, notice));
    if (after !== undefined) this.pauses.begin(after, wait.for, atMostMs, from);
    return false;
  }

  private async beginScheduled(campaign: Campaign, project: Project): Promise<void> {
    if (campaign.scheduledAt === null || Date.parse(campaign.scheduledAt) > this.clock.now()) return;
    const isDue = (before: Campaign | undefined): before is Campaign =>
      before?.status === 'draft' && before.scheduledAt === campaign.scheduledAt;
    try {
      const { id: mailAccountId, name: mailbox } = await this.mailboxes.defaultOf(project.workspaceId, project.id);
      await this.change(campaign, (before) => (isDue(before) ? beginSending(before, { mailAccountId, mailbox }) : []));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const notice = this.noticeContext(campaign, project);
      await this.change(campaign, (before) => (isDue(before) ? missSchedule(before, error.message, notice) : []));
    }
  }

  private noticeContext({ workspaceId }: Campaign, { name: siteName }: Project) {
    return { siteName, noticeId: this.call(workspaceId).newId('no'), now: this.clock.now() };
  }

  private change(
    { workspaceId, id }: Campaign,
    decide: (before: Campaign | undefined) => readonly CampaignEvent[],
  ): Promise<Campaign | undefined> {
    return this.runner.change<Campaign | undefined, CampaignEvent>(this.call(workspaceId), {
      aggregate: campaigns,
      id,
      begins: 'perhaps',
      decide,
    });
  }

  private call(workspaceId: string) {
    return this.calls.once(workspaceId, systemActor('campaigns'), 'campaigns');
  }
}

const isSending = ({ status, isPaused }: Campaign) => status === 'sending' && !isPaused;
