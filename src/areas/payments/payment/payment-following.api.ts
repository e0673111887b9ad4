import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { PaymentEffects } from './payment-effects.api.js';

/**
 * Applies a payment's effects before the command that changes the payment returns. A saga repeats this, in case the
 * process dies first.
 */
@Injectable()
export class PaymentFollowing {
  constructor(
    private readonly effects: PaymentEffects,
    private readonly calls: Calls,
  ) {}

  async now(workspaceId: string, paymentId: string): Promise<void> {
    const actor = systemActor('payments');
    await this.effects.follow(workspaceId, paymentId, (step) =>
      this.calls.once(workspaceId, actor, `payments/${step}`),
    );
  }
}
