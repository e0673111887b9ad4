import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Calls, systemActor } from '../../../engine/calls.js';
import { CommandRunner } from '../../../engine/command-runner.js';
import { LeaseKeeper, schedulerDuty } from '../../../engine/lease-keeper.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { expirePayment } from './site-payment.js';
import { type SitePayment, sitePayments } from './site-payment.record.js';

const page = 100;

/** Ends checkouts whose time is over and of which the processor said nothing, and so frees their coupons. */
@Injectable()
export class PaymentExpiry {
  private readonly log = new Logger('Payments');
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly store: ReadStore,
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly keeper: LeaseKeeper,
    private readonly clock: Clock,
  ) {}

  @Interval('payment-expiry', 60_000)
  async everyMinute(): Promise<void> {
    if (!this.keeper.holds(schedulerDuty.name) || this.sweeping !== undefined) return;
    this.sweeping = this.sweep().catch((error: unknown) => {
      this.log.warn(`Checkouts that are over could not be ended: ${reasonOf(error)}`);
    });
    await this.sweeping;
    this.sweeping = undefined;
  }

  /** All that are over. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    let last: readonly [string, string] | undefined;
    for (;;) {
      const due = await this.store.find<SitePayment>('sitePayments', {
        where: { status: 'pending', expiresAt: { lte: new Date(now).toISOString() } },
        sort: [['expiresAt', 'asc']],
        limit: page,
        ...(last === undefined ? {} : { after: last }),
      });
      for (const payment of due) await this.expire(payment, now);
      const final = due.at(-1);
      if (final === undefined || due.length < page) return;
      last = [final.expiresAt ?? '', final.id];
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
