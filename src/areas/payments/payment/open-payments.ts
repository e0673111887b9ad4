import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { UniqueNameLookup } from '../../../engine/commands/unique-name-lookup.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { ProcessorAccounts } from '../processor/processor-accounts.api.js';
import { PaymentFollowing } from './payment-following.api.js';
import { type OpenOf, openPayment, refusePaymentOpen } from './payment-names.js';
import { factOf } from './processor-fact.js';
import { closePayment } from './site-payment.js';
import { type SitePayment, sitePayments } from './site-payment.record.js';

/**
 * If a payment still has no checkout at the processor after this time, the process that was opening the checkout has
 * died.
 */
const openedWithinMs = 10 * 60_000;

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
   * Closes an abandoned checkout at the processor, so that it cannot be paid together with the new one. A manual
   * payment stays open until it is decided.
   * @throws Refusal payment-open if the open payment can still be paid; processor-unavailable
   */
  async close(workspaceId: string, of: OpenOf): Promise<void> {
    const open = (await this.holders.holderOf(workspaceId, openPayment(of, ''))) as SitePayment | undefined;
    if (open === undefined) return;
    const isIgnored = await this.isIgnored(open);
    if (!isIgnored && !(await this.isClosed(open))) refusePaymentOpen();
    const call = this.calls.once(workspaceId, systemActor('payments'), 'payments/close');
    await this.runner.change(call, {
      aggregate: sitePayments,
      id: open.id,
      decide: (before) => closePayment(before ?? sitePayments.missing(), this.clock.now(), isIgnored),
    });
    await this.following.now(workspaceId, open.id);
  }

  /**
   * On a live site, test payments have no effect and the test key might have been deleted, so the processor is not
   * called about them.
   */
  private async isIgnored({ workspaceId, projectId, mode }: SitePayment): Promise<boolean> {
    return mode === 'test' && (await this.accounts.modeOf(workspaceId, projectId)) === 'live';
  }

  /** Resolves to whether the payment can no longer be paid, which is false for a manual payment. */
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
    try {
      return await this.accounts.request({ workspaceId, projectId, mode }, (processor, account) =>
        processor.closeCheckout(account, checkoutId),
      );
    } catch (error) {
      if (error instanceof Refusal && error.kind !== 'unavailable') return false;
      throw error;
    }
  }
}
