import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { systemActor } from '../../../engine/calls.js';
import { Journal } from '../../../engine/journal/journal.js';
import { LeaseKeeper, schedulerDuty } from '../../../engine/lease-keeper.js';
import { Watermark } from '../../../engine/watermark.js';
import { Clock } from '../../../ports/clock.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import type { TriggerFiring, TriggerRun } from './trigger-run.record.js';
import { journalOf } from './trigger-run-journal.api.js';

const operation = 'trigger-run-retention';
/** Settled question Q-E22. */
const keptMs = 30 * 24 * 3_600_000;
/** How many workspaces are handled in one pass, so that a long backlog does not block other work. */
const workspacesAtOnce = 100;
/** How often to start over when the journal is written to meanwhile. */
const tries = 5;

/**
 * Removes trigger runs past retention. The journal records this first, with what must outlive them, and is then pruned.
 */
@Injectable()
export class TriggerRunRetention {
  constructor(
    private readonly store: ReadStore,
    private readonly journal: Journal,
    private readonly watermark: Watermark,
    private readonly clock: Clock,
    private readonly keeper: LeaseKeeper,
  ) {}

  @Interval('trigger-run-retention', 3_600_000)
  async hourly(): Promise<void> {
    if (this.keeper.holds(schedulerDuty.name)) await this.sweep();
  }

  async sweep(): Promise<void> {
    const cutoff = new Date(this.clock.now() - keptMs).toISOString();
    for (let round = 0; round < workspacesAtOnce; round++) {
      const [old] = await this.store.find<TriggerRun>('triggerRuns', {
        where: { createdAt: { lt: cutoff }, status: { in: ['ok', 'failed', 'skipped'] } },
        sort: [['createdAt', 'asc']],
        limit: 1,
      });
      if (old === undefined || !(await this.forget(old, cutoff))) return;
    }
  }

  /** False when an unfinished run still needs the whole journal. */
  private async forget({ workspaceId, revision }: TriggerRun, cutoff: string): Promise<boolean> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const end = await this.journal.last(journalOf(workspaceId));
      // The read model includes it from now on.
      if (end !== undefined) this.watermark.appended(end.position, [end]);
      const last = end?.revision ?? -1;
      const throughRevision = await this.lastToForget(workspaceId, cutoff, last);
      if (throughRevision < revision) return false;
      if (await this.say(workspaceId, throughRevision, last)) return true;
    }
    return false;
  }

  /** Everything before the first run that is kept: one within retention, or an unfinished one. */
  private async lastToForget(workspaceId: string, cutoff: string, last: number): Promise<number> {
    const kept = await Promise.all(
      [{ createdAt: { gte: cutoff } }, { status: 'queued' }].map((which) =>
        this.store.find<TriggerRun>('triggerRuns', {
          where: { workspaceId, ...which },
          sort: [['revision', 'asc']],
          limit: 1,
        }),
      ),
    );
    return Math.min(last, ...kept.flat().map(({ revision }) => revision - 1));
  }

  /** The counts are as of this entry, so nothing may come in between. False when something did. */
  private async say(workspaceId: string, throughRevision: number, last: number): Promise<boolean> {
    const firings = await this.store.find<TriggerFiring>('triggerFirings', { where: { workspaceId } });
    if (!this.watermark.isCurrent('triggerRuns')) return false;
    const fired = firings.map(({ id, count, lastFiredAt }) => ({ triggerId: id, count, lastFiredAt }));
    const event = { type: 'TriggerRunsForgotten', data: { throughRevision, fired } };
    const by = { workspaceId, actor: systemActor(operation), operation };
    return this.journal.forget(
      { stream: journalOf(workspaceId), by, events: [event], expected: last },
      throughRevision,
    );
  }
}
