import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { UniqueNameLookup } from '../../../engine/commands/name-holders.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { ProcessorAccounts } from '../processor/processor-accounts.api.js';
import { PaymentFollowing } from './payment-following.api.js';
import { type OpenOf, openPayment, refusePaymentOpen } from './payment-names.js';
import { factOf } from './processor-fact.js';
import { closePayment } from './site-payment.js';
import { type SitePayment, sitePayments } from './site-payment.record.js';

/** How long the processor may take to open a checkout. One that is not open by then was lost with its process. */
const openedWithinMs = 10 * 60_000;

/** Of each offer a user has one payment open at a time. */
@Injectable()
export class OpenPayments {
  constructor(
    private readonly runner: CommandRunner,
    private readonly holders: UniqueNameLookup,
    private readonly accounts: ProcessorAccounts,
    private readonly following: PaymentFollowing,
    private readonly calls: Calls,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes room for a new payment: a checkout at the processor that was left is closed there, so that it cannot be paid as
   * well. A payment by hand stays for its decision. @throws Refusal payment-open, processor-unavailable
   */
  async close(workspaceId: string, of: OpenOf): Promise<void> {
    const open = (await this.holders.holderOf(workspaceId, openPayment(of, ''))) as SitePayment | undefined;
    if (open === undefined) return;
    if (!(await this.isClosed(open))) refusePaymentOpen();
    const call = this.calls.once(workspaceId, systemActor('payments'), 'payments/close');
    await this.runner.change(call, {
      aggregate: sitePayments,
      id: open.id,
      decide: (before) => closePayment(before ?? sitePayments.missing(), this.clock.now()),
    });
    await this.following.now(workspaceId, open.id);
  }

  /** Whether nobody can pay it any more. */
  private async isClosed({
    workspaceId,
    projectId,
    mode,
    checkoutId,
    facts,
    createdAt,
  }: SitePayment): Promise<boolean> {
    if (mode === null || factOf(facts, 'awaited') !== undefined) return false;
    if (checkoutId === null) return Date.parse(createdAt) + openedWithinMs <= this.clock.now();
    // The key of the tries may be gone by then, and what they pay gives nothing.
    if (mode === 'test' && (await this.accounts.modeOf(workspaceId, projectId)) === 'live') return true;
    try {
      return await this.accounts.ask({ workspaceId, projectId, mode }, (processor, account) =>
        processor.closeCheckout(account, checkoutId),
      );
    } catch (error) {
      // Whatever else the processor says no to, a payment there may still come in.
      if (error instanceof Refusal && error.kind !== 'unavailable') return false;
      throw error;
    }
  }
}
