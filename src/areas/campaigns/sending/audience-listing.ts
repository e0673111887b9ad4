import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Project } from '../../sites/project/project.record.js';
import { Audiences } from '../audience/audiences.api.js';
import { type Campaign, campaigns } from '../campaign/campaign.record.js';
import { listAudience } from '../campaign/campaign-life.api.js';
import { campaignBatches, campaignBatchId, listBatch } from './campaign-batch.js';
import { type CampaignBatch, largestBatch } from './campaign-batch.record.js';

/**
 * Lists the audience of a campaign in batches, as users are found. After a crash, and in several processes at once, listing
 * resumes after the last batch; only one process can append the next one, so each user is listed once.
 */
@Injectable()
export class AudienceListing {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly audiences: Audiences,
    private readonly calls: Calls,
  ) {}

  /** False: it is not at its end, because another process lists the same, or this one stops. */
  async list(campaign: Campaign, project: Project, stopping: AbortSignal): Promise<boolean> {
    const last = await this.last(campaign);
    const madeBy = campaign.startedAt ?? '';
    let [number, recipients] = last === undefined ? [0, 0] : [last.number + 1, await this.listed(campaign)];
    let found: string[] = [];
    const { audienceRules } = campaign;
    for await (const page of this.audiences.of({ project, audienceRules, madeBy }, last?.through)) {
      if (stopping.aborted) return false;
      found.push(...page.users.map(({ id }) => id));
      for (; found.length >= largestBatch; found = found.slice(largestBatch)) {
        const userIds = found.slice(0, largestBatch);
        // What is left of the page is looked at again after a crash.
        if (!(await this.add(campaign, number, userIds, userIds.at(-1) ?? ''))) return false;
        number += 1;
        recipients += userIds.length;
      }
    }
    if (found.length > 0 && !(await this.add(campaign, number, found, found.at(-1) ?? ''))) return false;
    await this.end(campaign, recipients + found.length);
    return true;
  }

  private async last({ workspaceId, id: campaignId }: Campaign): Promise<CampaignBatch | undefined> {
    const [last] = await this.reads.find<CampaignBatch>(workspaceId, 'campaignBatches', {
      where: { campaignId },
      sort: [['number', 'desc']],
      limit: 1,
    });
    return last;
  }

  /** Full but for the last one. */
  private async listed({ workspaceId, id: campaignId }: Campaign): Promise<number> {
    const all = await this.reads.find<CampaignBatch>(workspaceId, 'campaignBatches', { where: { campaignId } });
    return all.reduce((sum, { userIds }) => sum + userIds.length, 0);
  }

  /** False: another process listed this batch, or the campaign is not there any more. */
  private async add(campaign: Campaign, number: number, userIds: readonly string[], through: string) {
    const { workspaceId, projectId, id: campaignId } = campaign;
    if ((await this.runner.find(campaigns, workspaceId, campaignId)) === undefined) return false;
    let isOurs = false;
    await this.runner.change(this.call(workspaceId), {
      aggregate: campaignBatches,
      id: campaignBatchId(campaignId, number),
      begins: 'perhaps',
      decide: (before) => {
        const events = listBatch(before, { projectId, campaignId, number, userIds, through });
        isOurs = events.length > 0;
        return events;
      },
    });
    return isOurs;
  }

  private async end({ workspaceId, id }: Campaign, recipients: number): Promise<void> {
    await this.runner.change(this.call(workspaceId), {
      aggregate: campaigns,
      id,
      begins: 'perhaps',
      decide: (before) => listAudience(before as Campaign | undefined, recipients),
    });
  }

  private call(workspaceId: string) {
    return this.calls.once(workspaceId, systemActor('campaigns'), 'campaigns');
  }
}
