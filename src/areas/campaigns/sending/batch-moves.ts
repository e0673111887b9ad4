import { Injectable } from '@nestjs/common';
import { ProcessName } from '../../../engine/cluster/process-name.js';
import { StoreRetry } from '../../../engine/cluster/store-retry.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Range } from '../../../kernel/record/projection.js';
import { Clock } from '../../../ports/clock.port.js';
import { Leases } from '../../../ports/leases.port.js';
import type { Campaign } from '../campaign/campaign.record.js';
import {
  alwaysClaimable,
  campaignBatches,
  claimBatch,
  longestRestMs,
  type Moves,
  moveBatch,
  releaseBatch,
} from './campaign-batch.js';
import type { CampaignBatch, CampaignBatchEvent } from './campaign-batch.record.js';

type Decide = (before: CampaignBatch | undefined) => readonly CampaignBatchEvent[];

/**
 * Number of batches read in order to find one that can be claimed. It is higher than the number of batches that are
 * sent at the same time.
 */
const looked = 50;

@Injectable()
export class BatchMoves {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly leases: Leases,
    private readonly process: ProcessName,
    private readonly storeRetry: StoreRetry,
    private readonly calls: Calls,
    private readonly clock: Clock,
  ) {}

  async claim(campaign: Campaign): Promise<CampaignBatch | undefined> {
    const { workspaceId } = campaign;
    const now = this.clock.now();
    const due = await this.open(campaign, { lte: isoOf(now) });
    const open = due.length > 0 ? due : await this.open(campaign, { gt: isoOf(now + longestRestMs) });
    if (open.length === 0) return undefined;
    const alive = await this.alive();
    for (const { id, process } of open) {
      if (this.isOther(process, alive)) continue;
      const after = await this.change(workspaceId, id, (before) =>
        claimBatch(before, this.process.value, alive, this.clock.now()),
      );
      if (after?.openAt != null && after.process === this.process.value) return after;
    }
    return undefined;
  }

  async areWithOthers(campaign: Campaign): Promise<boolean> {
    const open = await this.open(campaign, { lte: isoOf(this.clock.now()) });
    const alive = await this.alive();
    return open.some(({ process }) => this.isOther(process, alive));
  }

  /**
   * If the log is unavailable, retries until it is available again, because only this process knows which mails were
   * sent. Returns undefined if another process has claimed the batch.
   */
  async move({ workspaceId, id }: CampaignBatch, moves: Moves): Promise<CampaignBatch | undefined> {
    const after = await this.storeRetry.untilAvailable(() =>
      this.change(workspaceId, id, (before) => moveBatch(before, this.process.value, moves), true),
    );
    return after?.process === this.process.value ? after : undefined;
  }

  /** After `afterMs`, any process may claim the batch. `afterMs` must not exceed `longestRestMs`. */
  async release({ workspaceId, id }: CampaignBatch, afterMs: number): Promise<void> {
    const openAt = afterMs === 0 ? alwaysClaimable : isoOf(this.clock.now() + afterMs);
    await this.change(workspaceId, id, (before) => releaseBatch(before, this.process.value, openAt));
  }

  private open({ workspaceId, id: campaignId }: Campaign, openAt: Range): Promise<readonly CampaignBatch[]> {
    return this.reads.find<CampaignBatch>(workspaceId, 'campaignBatches', {
      where: { campaignId, openAt },
      sort: [['openAt', 'asc']],
      limit: looked,
    });
  }

  /** Call this after batches have been read, so that a process that claimed one of them just before is included. */
  private async alive(): Promise<ReadonlySet<string>> {
    return new Set((await this.leases.processes()).map(({ name }) => name));
  }

  private isOther(process: string | null, alive: ReadonlySet<string>): boolean {
    return process !== null && process !== this.process.value && alive.has(process);
  }

  private change(workspaceId: string, id: string, decide: Decide, isOurs = false): Promise<CampaignBatch | undefined> {
    const call = this.calls.once(workspaceId, systemActor('campaigns'), 'campaigns');
    return this.runner.change<CampaignBatch | undefined, CampaignBatchEvent>(call, {
      aggregate: campaignBatches,
      id,
      begins: 'perhaps',
      ...(isOurs && { trustsKnown: true }),
      decide,
    });
  }
}

const isoOf = (ms: number) => new Date(ms).toISOString();
