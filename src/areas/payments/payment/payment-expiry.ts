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
import { expirePayment } from './site-payment.js';
import { type SitePayment, sitePayments } from './site-payment.record.js';

const page = 100;

/**
 * Ends checkouts whose time is over and of which the processor said nothing, and payments by hand that nobody decided in
 * time. Their coupons are free by it.
 */
@Injectable()
export class PaymentExpiry {
  private readonly log = new Logger('Payments');
  private readonly timed = new SoleSweep(
    () => this.sweep(),
    (reason) => this.log.warn(`Payments whose time is over could not be ended: ${reason}`),
  );

  constructor(
    private readonly store: ReadStore,
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly keeper: LeaseKeeper,
    private readonly clock: Clock,
  ) {}

  @Interval('payment-expiry', 60_000)
  everyMinute(): Promise<void> {
    return this.timed.begin(this.keeper.holds(schedulerDuty.name));
  }

  /** All that are over. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const due = { field: 'expiresAt', now, where: { status: 'pending' }, page } as const;
    for await (const some of dueRecords<SitePayment, 'expiresAt'>(this.store, 'sitePayments', due)) {
      for (const payment of some) await this.expire(payment, now);
    }
  }

  private async expire({ workspaceId, id }: SitePayment, now: number): Promise<void> {
    const call = this.calls.once(workspaceId, systemActor('payment-expiry'), 'payment-expiry');
    try {
      await this.runner.change(call, {
        aggregate: sitePayments,
        id,
        decide: (before) => (before === undefined ? [] : expirePayment(before, now)),
      });
    } catch (error) {
      // Its project was deleted meanwhile.
      if (!(error instanceof Refusal)) throw error;
    }
  }
}
