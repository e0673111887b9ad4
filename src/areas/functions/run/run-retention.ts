import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Environment } from '../../../config/environment.js';
import { systemActor } from '../../../engine/calls.js';
import { LeaseKeeper, schedulerDuty } from '../../../engine/lease-keeper.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { DeliveredFiles } from './delivered-files.api.js';
import { inputKeptMs } from './run.js';
import { type Run, runCategory, type TriggerUse } from './run.record.js';
import { RunJournal } from './run-journal.js';

const dayMs = 24 * 3_600_000;

/** How many functions are handled in one pass, so that a long backlog does not block other work. */
const functionsAtOnce = 100;

/**
 * Removes runs past retention. The journal records this first and is pruned afterwards, so that a rebuild gives the
 * same state.
 */
@Injectable()
export class RunRetention {
  constructor(
    private readonly store: ReadStore,
    private readonly events: EventStore,
    private readonly journal: RunJournal,
    private readonly vault: Vault,
    private readonly files: DeliveredFiles,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly environment: Environment,
    private readonly keeper: LeaseKeeper,
  ) {}

  @Interval('run-retention', 3_600_000)
  async hourly(): Promise<void> {
    if (this.keeper.holds(schedulerDuty.name)) await this.sweep();
  }

  async sweep(): Promise<void> {
    await this.vault.sweep();
    await this.files.sweep(this.clock.now() - inputKeptMs);
    const cutoff = new Date(this.clock.now() - this.environment.runRetentionDays * dayMs).toISOString();
    for (let round = 0; round < functionsAtOnce; round++) {
      const [old] = await this.store.find<Run>('runs', {
        where: { createdAt: { lt: cutoff }, status: { in: ['success', 'error'] } },
        sort: [['createdAt', 'asc']],
        limit: 1,
      });
      if (old === undefined || !(await this.forget(old, cutoff))) return;
    }
  }

  /** False when an unfinished run still needs the whole journal. */
  private async forget({ workspaceId, functionId, revision }: Run, cutoff: string): Promise<boolean> {
    const stream = streamOf(runCategory, workspaceId, functionId);
    const throughRevision = await this.lastToForget(stream, functionId, cutoff);
    if (throughRevision < revision) return false;
    const uses = await this.store.find<TriggerUse>('triggerUses', { where: { functionId } });
    const triggers = uses.map(({ id, lastTriggered }) => ({ triggerId: id, at: lastTriggered }));
    const runId = this.ids.newId('retention');
    const origin = { workspaceId, functionId, runId, correlationId: runId, causationId: null };
    await this.journal.write({ ...origin, actor: systemActor('run-retention') }, [
      { type: 'RunsForgotten', data: { throughRevision, triggers } },
    ]);
    await this.events.truncate(stream, throughRevision + 1);
    return true;
  }

  /** Everything before the first run that is kept: one within retention, or an unfinished one. */
  private async lastToForget(stream: string, functionId: string, cutoff: string): Promise<number> {
    const kept = await Promise.all(
      [{ createdAt: { gte: cutoff } }, { status: { in: ['queued', 'running'] } }].map((which) =>
        this.store.find<Run>('runs', { where: { functionId, ...which }, sort: [['revision', 'asc']], limit: 1 }),
      ),
    );
    const first = kept.flat().map(({ revision }) => revision);
    if (first.length > 0) return Math.min(...first) - 1;
    const [last] = await this.events.readStream(stream, { direction: 'backward', limit: 1 });
    return last?.revision ?? -1;
  }
}
