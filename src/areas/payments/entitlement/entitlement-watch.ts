import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { LeaseKeeper, schedulerDuty } from '../../../engine/cluster/lease-keeper.js';
import { SoleSweep } from '../../../engine/cluster/sole-sweep.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { dueRecords } from '../../../engine/read-models/due-records.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
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
  private readonly timed = new SoleSweep(
    () => this.sweep(),
    (reason) => this.log.warn(`Ends of entitlements could not be recorded: ${reason}`),
  );

  constructor(
    private readonly store: ReadStore,
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly keeper: LeaseKeeper,
    private readonly clock: Clock,
  ) {}

  @Interval('entitlement-watch', 10_000)
  everyTenSeconds(): Promise<void> {
    return this.timed.begin(this.keeper.holds(schedulerDuty.name));
  }

  /** All whose end has come, some at a time. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const due = { field: 'endsAt', now, page: atOnce } as const;
    for await (const some of dueRecords<Entitlement, 'endsAt'>(this.store, 'entitlements', due)) {
      await Promise.all(some.map((one) => this.end(one, now)));
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
