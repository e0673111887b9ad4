import { Injectable } from '@nestjs/common';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { movedSomehow } from '../../../engine/approvals/pending-changes.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { Clock } from '../../../ports/clock.port.js';
import { JudgedFunctions } from '../../functions/function/cards/judged-function.api.js';
import type { Workspace } from '../../workspace/workspace/workspace.record.js';
import { refuse } from '../approvals.refusals.js';
import { ApprovedChanges } from './approved-changes.api.js';
import { askedOperation } from './card.js';
import { PendingCalls } from './pending-calls.api.js';
import { type Approval, approve, reject } from './pending-change.js';
import { type PendingChange, pendingChanges } from './pending-change.record.js';
import { ShownCards } from './shown-cards.js';

@Injectable()
export class CardApproval {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly targets: ChangeTargets,
    private readonly approved: ApprovedChanges,
    private readonly asked: PendingCalls,
    private readonly clock: Clock,
    private readonly cards: ShownCards,
    private readonly functions: JudgedFunctions,
  ) {}

  /**
   * @param hash hash of the card that the approver saw
   * @throws Refusal pending-change-moved if the change could not be applied; key-never-deletes if the approver's key is
   * not allowed to delete and the approved call deletes something, or the approved code could; and the refusals of
   * `approve` in pending-change.ts
   */
  async approve(call: OperationContext, id: string, hash: string): Promise<PendingChangeCard> {
    const { workspaceId, caller } = call;
    const approval = { ...(await this.approvalBy(workspaceId, caller)), hash };
    const found = await this.find(workspaceId, id);
    if (found.status === 'pending') approve(found, approval);
    await this.mustHaveItsBase(found);
    await this.mustTakeNothing(found, caller);
    const change = await this.runner.change(call, {
      aggregate: pendingChanges,
      id,
      decide: (now) => (now ? approve(now, approval) : []),
    });
    const done = await this.approved.apply(change ?? pendingChanges.missing());
    return done.status === 'failed' ? this.refuseMoved(done) : this.cards.card(done);
  }

  /** @throws Refusal that `approve` would throw for this caller. Does not check the base of the change */
  async mustBeApprovable(caller: Caller, change: PendingChange): Promise<void> {
    approve(change, { ...(await this.approvalBy(caller.workspaceId, caller)), hash: change.hash });
    await this.mustTakeNothing(change, caller);
  }

  /** @throws Refusal that `rejectPendingChange` would throw for this caller */
  async mustBeRejectable(caller: Caller, change: PendingChange): Promise<void> {
    reject(change, { caller, reason: undefined, now: this.clock.now() });
  }

  /** @throws Refusal pending-change-not-found */
  async find(workspaceId: string, id: string): Promise<PendingChange> {
    return (await this.runner.find(pendingChanges, workspaceId, id)) ?? pendingChanges.missing();
  }

  private async approvalBy(workspaceId: string, caller: Caller | undefined): Promise<Omit<Approval, 'hash'>> {
    const workspace = await this.reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
    return { caller, now: this.clock.now(), fourEyes: workspace?.settings.fourEyes ?? true };
  }

  private async mustTakeNothing(change: PendingChange, caller: Caller | undefined): Promise<void> {
    if (change.status !== 'pending' || !caller?.neverDeletes) return;
    if (askedOperation(change) !== undefined) return this.asked.mustTakeNothing(change);
    if (await this.functions.bringsTakingCode(change.workspaceId, change)) {
      refuse('key-never-deletes', { operation: 'approvals/approvePendingChange' });
    }
  }

  private async mustHaveItsBase(change: PendingChange): Promise<void> {
    if (change.status !== 'pending') return;
    const reason = await this.approved.moved(change);
    if (reason !== undefined) await this.refuseMoved(await this.approved.fail(change, reason));
  }

  private async refuseMoved(change: PendingChange): Promise<never> {
    const { workspaceId, target, input } = change;
    const card = await this.cards.card(change);
    const paths = card.changes.map(({ path }) => path);
    const reason = change.reason ?? movedSomehow;
    const details = { pendingChange: card, reason };
    if (askedOperation(change) !== undefined) {
      return refuse('pending-change-moved', { reason, isCall: true }, { details });
    }
    const current = (await this.targets.currentValues(workspaceId, target, input, paths)) ?? null;
    return refuse('pending-change-moved', { reason }, { details: { ...details, standing: current } });
  }
}
