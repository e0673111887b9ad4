import { Injectable } from '@nestjs/common';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { IdempotencyStore } from '../../../engine/pipeline/idempotency-store.js';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { askedOperation } from './card.js';
import { PendingCalls } from './pending-calls.api.js';
import { applied, failedChange, reasonFor } from './pending-change.js';
import { type PendingChange, type PendingChangeEvent, pendingChanges } from './pending-change.record.js';

type Decide = (change: PendingChange) => readonly PendingChangeEvent[];

/** Pause between two looks at a call that another process is carrying out. */
const lookAgainMs = 200;

const staysApproved = 'The change stays approved, and the call is made once the limit allows it.';

/**
 * Each change is applied exactly as it was approved and only once, even if several processes call `apply`. If the
 * process dies or a fault occurs, the change is applied again: nothing is recorded twice, but a request or a mail that
 * was already sent is sent again.
 */
@Injectable()
export class ApprovedChanges {
  private readonly inProgress = new PerDryRun(() => new KeyedMutex());

  constructor(
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly targets: ChangeTargets,
    private readonly asked: PendingCalls,
    private readonly receipts: IdempotencyStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the change as applied, or as failed with the reason. Waits while another call of this method, here or in
   * another process, executes the same approved call.
   * @throws Refusal of the kind `unavailable`, Refusal of the kind `limited` with `retryAfterSeconds`, and all errors
   * that are not refusals. The change then remains approved.
   */
  async apply(change: PendingChange): Promise<PendingChange> {
    // Other changes only record events, and their derived command ids prevent recording them twice.
    if (askedOperation(change) === undefined) return this.close(change, await this.outcomeOf(change));
    return this.inProgress.now.run(change.id, () => this.carryOutOnce(change));
  }

  private async carryOutOnce({ workspaceId, id, hash }: PendingChange): Promise<PendingChange> {
    const key = `${workspaceId}/${id}/call`;
    for (;;) {
      const { state } = await this.receipts.begin(key, hash);
      try {
        const change = (await this.runner.find(pendingChanges, workspaceId, id)) ?? pendingChanges.missing();
        if (change.status !== 'approved') return change;
        if (state !== 'going') return await this.carryOut(change, key, state === 'answered');
      } finally {
        await this.receipts.release(key);
      }
      await new Promise<void>((resolve) => this.clock.after(lookAgainMs, resolve));
    }
  }

  /** @param isDone whether the call was already carried out, so that only its card is still open */
  private async carryOut(change: PendingChange, key: string, isDone: boolean): Promise<PendingChange> {
    const outcome = isDone ? applied : await this.outcomeOf(change);
    // If the card cannot be closed now, the stored receipt prevents a second execution. If the receipt cannot be
    // stored, closing the card prevents one.
    if (outcome === applied && !isDone) await this.receipts.settle(key, change.hash, true).catch(() => undefined);
    return this.close(change, outcome);
  }

  private async outcomeOf(change: PendingChange): Promise<Decide> {
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
      return applied;
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
      // The approval is recorded, so its idempotency key must not be used for another call.
      if (error.kind === 'limited' && error.facts.retryAfterSeconds !== undefined) {
        throw error.with({}, `${error.message} ${staysApproved}`).afterEffect();
      }
      const moved = error.code === 'pending-change-moved' ? await this.moved(change) : undefined;
      return (now) => failedChange(now, moved ?? error.message);
    }
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
    decide: Decide,
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
