import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Calls, systemActor } from '../../../engine/calls.js';
import { CommandRunner } from '../../../engine/command-runner.js';
import { LeaseKeeper, schedulerDuty } from '../../../engine/lease-keeper.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { expireEntitlement } from './entitlement.js';
import { type Entitlement, entitlements } from './entitlement.record.js';

const atOnce = 50;

/**
 * Records that entitlements came to their end, in the process that holds the scheduler's lease. Access does not wait for
 * it: that is judged by the clock. The entitlement itself decides, so that an end is recorded once however many sweep.
 */
@Injectable()
export class EntitlementWatch {
  private readonly log = new Logger('Entitlements');
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly store: ReadStore,
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly keeper: LeaseKeeper,
    private readonly clock: Clock,
  ) {}

  @Interval('entitlement-watch', 10_000)
  async everyTenSeconds(): Promise<void> {
    if (!this.keeper.holds(schedulerDuty.name) || this.sweeping !== undefined) return;
    this.sweeping = this.sweep().catch((error: unknown) => {
      this.log.warn(`Ends of entitlements could not be recorded: ${reasonOf(error)}`);
    });
    await this.sweeping;
    this.sweeping = undefined;
  }

  /** All whose end has come. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const tried = new Set<string>();
    for (;;) {
      const due = await this.store.find<Entitlement>('entitlements', {
        where: { endsAt: { lte: new Date(now).toISOString() } },
        sort: [['endsAt', 'asc']],
        limit: atOnce + tried.size,
      });
      const fresh = due.filter(({ workspaceId, id }) => !tried.has(`${workspaceId}/${id}`));
      if (fresh.length === 0) return;
      for (const { workspaceId, id } of fresh) tried.add(`${workspaceId}/${id}`);
      await Promise.all(fresh.map((one) => this.end(one, now)));
      // Those that were tried are found again only where the read model lags behind.
      if (tried.size > 10_000) return;
    }
  }

  private async end({ workspaceId, id }: Entitlement, now: number): Promise<void> {
    const call = this.calls.once(workspaceId, systemActor('entitlement-watch'), 'entitlement-watch');
    try {
      await this.runner.change(call, {
        aggregate: entitlements,
        id,
        decide: (before) => expireEntitlement(before, now),
      });
    } catch (error) {
      // It was deleted meanwhile.
      if (!(error instanceof Refusal)) throw error;
    }
  }
}
