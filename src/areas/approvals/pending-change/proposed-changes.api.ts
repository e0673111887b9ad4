import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { PendingChanges, type Proposal } from '../../../engine/approvals/pending-changes.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { propose, replace } from './pending-change.js';
import { type PendingChange, pendingChanges } from './pending-change.record.js';
import { ShownCards } from './shown-cards.js';

/** A new card (pending change) replaces the pending cards of the same kind for the same target. */
@Injectable()
export class ProposedChanges extends PendingChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly environment: Environment,
    private readonly cards: ShownCards,
  ) {
    super();
  }

  override async propose(call: OperationContext, proposal: Proposal, id = call.newId('change')) {
    const { workspaceId } = call;
    const { kind, target, composes } = proposal;
    // If this is a repeated command, `replaced` can be the card that its first attempt created. That is harmless,
    // because the repetition records no events.
    const replaced = await this.waiting(workspaceId, { kind, targetId: target.id });
    const composed = composes === undefined ? undefined : await this.runner.find(pendingChanges, workspaceId, composes);
    // Proposing a deletion deletes nothing, so only the right to propose a change is checked here.
    const change = await this.runner.change(
      { ...call, judgedAs: 'approvals/propose' },
      {
        aggregate: pendingChanges,
        id,
        begins: true,
        decide: () => propose(proposal, this.clock.now(), { replaced, composed }),
      },
    );
    if (change === undefined) return pendingChanges.missing();
    await this.replaceOlder(change);
    return {
      pendingChange: await this.cards.card(change),
      approveLink: `${this.environment.baseUrl}/approvals/${id}`,
    };
  }

  override async waiting(
    workspaceId: string,
    { kind, targetId }: { readonly kind: string; readonly targetId: string },
  ): Promise<PendingChange | undefined> {
    const [newest] = await this.reads.find<PendingChange>(workspaceId, 'pendingChanges', {
      where: { targetId, kind, status: 'pending', expiresAt: { gt: new Date(this.clock.now()).toISOString() } },
      sort: [['createdAt', 'desc']],
      limit: 1,
    });
    return newest;
  }

  /** Never replaces later cards, even if the call is repeated. */
  async replaceOlder({ workspaceId, id, kind, targetId, position, correlationId }: PendingChange): Promise<void> {
    const pending = await this.reads.find<PendingChange>(workspaceId, 'pendingChanges', {
      where: { targetId, kind, status: 'pending' },
    });
    for (const older of pending.filter((other) => other.position < position)) {
      const call = this.calls.derived({
        workspaceId,
        actor: { kind: 'system', id: 'system', name: 'newer-cards-replace-older-ones' },
        operation: 'approvals/replace',
        from: `${id}/replaces/${older.id}`,
        correlationId,
        causationId: null,
        notBefore: older.position,
      });
      await this.runner.change(call, {
        aggregate: pendingChanges,
        id: older.id,
        decide: (change) => (change ? replace(change, id) : []),
      });
    }
  }
}
