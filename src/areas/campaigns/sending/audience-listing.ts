import { Injectable } from '@nestjs/common';
import { ProcessName } from '../../../engine/cluster/process-name.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Leases } from '../../../ports/leases.port.js';
import type { Project } from '../../sites/project/project.record.js';
import { Audiences } from '../audience/audiences.api.js';
import { type Campaign, campaigns } from '../campaign/campaign.record.js';
import { listAudience } from '../campaign/campaign-life.api.js';
import { campaignBatches, campaignBatchId, listBatch } from './campaign-batch.js';
import { type CampaignBatch, type CampaignStats, largestBatch } from './campaign-batch.record.js';

/**
 * Only the process with a lease lists the audience, while other processes send the batches that exist already. Each
 * batch can be recorded only once, so each user is listed once, even if a process whose lease has expired continues.
 */
@Injectable()
export class AudienceListing {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly audiences: Audiences,
    private readonly calls: Calls,
    private readonly leases: Leases,
    private readonly process: ProcessName,
  ) {}

  /** Does nothing if another process is listing the audience, and stops early if this process shuts down. */
  async list(campaign: Campaign, project: Project, stopping: AbortSignal): Promise<void> {
    const lease = `campaign-listing/${campaign.id}`;
    if (!(await this.leases.acquire(lease, this.process.value))) return;
    try {
      await this.listRest(campaign, project, stopping);
    } finally {
      await this.leases.release(lease, this.process.value);
    }
  }

  private async listRest(campaign: Campaign, project: Project, stopping: AbortSignal): Promise<void> {
    const last = await this.last(campaign);
    const madeBy = campaign.startedAt ?? '';
    let [number, recipients] = last === undefined ? [0, 0] : [last.number + 1, await this.listed(campaign)];
    let found: string[] = [];
    const { audienceRules } = campaign;
    for await (const page of this.audiences.pagesOf({ project, audienceRules, madeBy }, last?.through)) {
      if (stopping.aborted) return;
      found.push(...page.users.map(({ id }) => id));
      for (; found.length >= largestBatch; found = found.slice(largestBatch)) {
        const userIds = found.slice(0, largestBatch);
        // A crash loses nothing: users after `through`, the batch's last user, are read again.
        if (!(await this.add(campaign, number, userIds, userIds.at(-1) ?? ''))) return;
        number += 1;
        recipients += userIds.length;
      }
    }
    const isEnd =
      found.length === 0
        ? !(await this.isListed(campaign, number))
        : await this.add(campaign, number, found, found.at(-1) ?? '');
    if (isEnd) await this.end(campaign, recipients + found.length);
  }

  private async last({ workspaceId, id: campaignId }: Campaign): Promise<CampaignBatch | undefined> {
    const [last] = await this.reads.find<CampaignBatch>(workspaceId, 'campaignBatches', {
      where: { campaignId },
      sort: [['number', 'desc']],
      limit: 1,
    });
    return last;
  }

  private async listed({ workspaceId, id }: Campaign): Promise<number> {
    return (await this.reads.get<CampaignStats>(workspaceId, 'campaignStats', id))?.recipients ?? 0;
  }

  private async isListed({ workspaceId, id }: Campaign, number: number): Promise<boolean> {
    return (await this.runner.find(campaignBatches, workspaceId, campaignBatchId(id, number))) !== undefined;
  }

  private async add(campaign: Campaign, number: number, userIds: readonly string[], through: string) {
    const { workspaceId, projectId, id: campaignId } = campaign;
    const present = await this.runner.find(campaigns, workspaceId, campaignId);
    if (present === undefined || present.audience !== null) return false;
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
