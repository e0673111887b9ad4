import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { PaymentEffects } from './payment-effects.api.js';

/**
 * Has what follows from a payment done before its command is answered. The saga does the same once more, so that it also
 * happens when this process dies in between.
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
