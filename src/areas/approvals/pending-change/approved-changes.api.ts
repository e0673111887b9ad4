import { Injectable } from '@nestjs/common';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { askedOperation } from './card.js';
import { PendingCalls } from './pending-calls.api.js';
import { applied, failedChange, reasonFor } from './pending-change.js';
import { type PendingChange, type PendingChangeEvent, pendingChanges } from './pending-change.record.js';

/** Each change is applied exactly as it was approved and only once, even if `apply` is called again. */
@Injectable()
export class ApprovedChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly targets: ChangeTargets,
    private readonly asked: PendingCalls,
  ) {}

  /**
   * Returns the change as applied, or as failed with the reason.
   * @throws Refusal of the kind `unavailable`, and all errors that are not refusals
   */
  async apply(change: PendingChange): Promise<PendingChange> {
    const { workspaceId, id, kind, base, input, target, decidedBy, correlationId, causationId, position } = change;
    const call = this.calls.derived({
      workspaceId,
      actor: decidedBy ?? systemActor('approvals'),
      operation: 'approvals/approvePendingChange',
      from: `${id}/apply`,
      correlationId,
      causationId: causationId ?? null,
      notBefore: position,
    });
    try {
      if (askedOperation(change) !== undefined) await this.asked.carryOut(change);
      else await this.targets.apply({ ...call, ...reasonFor(change) }, target, { kind, base, input });
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
      const moved = error.code === 'pending-change-moved' ? await this.moved(change) : undefined;
      return this.close(change, (now) => failedChange(now, moved ?? error.message));
    }
    return this.close(change, applied);
  }

  /** If something has changed so that the pending change cannot be applied, returns a sentence about it. */
  async moved(change: PendingChange): Promise<string | undefined> {
    if (askedOperation(change) !== undefined) return this.asked.moved(change);
    return this.targets.moved(change.workspaceId, change.target, change);
  }

  async fail(change: PendingChange, reason: string): Promise<PendingChange> {
    return this.close(change, (now) => failedChange(now, reason));
  }

  private async close(
    { workspaceId, id, correlationId, position }: PendingChange,
    decide: (change: PendingChange) => readonly PendingChangeEvent[],
  ): Promise<PendingChange> {
    const call = this.calls.derived({
      workspaceId,
      actor: systemActor('approvals'),
      operation: 'approvals/approvePendingChange',
      from: `${id}/close`,
      correlationId,
      causationId: null,
      notBefore: position,
    });
    const closed = await this.runner.change(call, {
      aggregate: pendingChanges,
      id,
      decide: (now) => (now ? decide(now) : []),
    });
    return closed ?? pendingChanges.missing();
  }
}
