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

  /** All whose end has come, some at a time. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    for (let last: Entitlement | undefined; ; ) {
      const due: readonly Entitlement[] = await this.store.find<Entitlement>('entitlements', {
        where: { endsAt: { lte: new Date(now).toISOString() } },
        sort: [['endsAt', 'asc']],
        limit: atOnce,
        ...(last?.endsAt && { after: [last.endsAt, last.id] }),
      });
      await Promise.all(due.map((one) => this.end(one, now)));
      last = due.at(-1);
      if (due.length < atOnce) return;
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
