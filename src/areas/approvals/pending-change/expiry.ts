import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { LeaseKeeper, schedulerDuty } from '../../../engine/cluster/lease-keeper.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Clock } from '../../../ports/clock.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { expire } from './pending-change.js';
import { type PendingChange, pendingChanges } from './pending-change.record.js';

const atOnce = 100;

/** Records that cards have expired. An expired card cannot be approved even before that is recorded. */
@Injectable()
export class Expiry {
  private readonly log = new Logger('Approvals');

  constructor(
    private readonly store: ReadStore,
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly keeper: LeaseKeeper,
    private readonly clock: Clock,
  ) {}

  @Interval('pending-change-expiry', 60_000)
  async everyMinute(): Promise<void> {
    if (!this.keeper.holds(schedulerDuty.name)) return;
    await this.sweep().catch((error: unknown) => this.log.warn(`Cards could not be looked at: ${reasonOf(error)}`));
  }

  async sweep(): Promise<void> {
    const now = this.clock.now();
    const over = await this.store.find<PendingChange>('pendingChanges', {
      where: { status: 'pending', expiresAt: { lte: new Date(now).toISOString() } },
      sort: [['expiresAt', 'asc']],
      limit: atOnce,
    });
    for (const { workspaceId, id, position, correlationId } of over) {
      const call = this.calls.derived({
        workspaceId,
        actor: systemActor('pending-change-expiry'),
        operation: 'approvals/expire',
        from: `${id}/expires`,
        correlationId,
        causationId: null,
        notBefore: position,
      });
      const decide = (change: PendingChange | undefined) => (change ? expire(change, now) : []);
      await this.runner.change(call, { aggregate: pendingChanges, id, decide });
    }
  }
}
