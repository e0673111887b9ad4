import { Injectable } from '@nestjs/common';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import { authorise } from '../../../engine/authorisation/authorisation.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { Clock } from '../../../ports/clock.port.js';
import { cardOf } from './card.js';
import { mustBeVoid } from './deciders.api.js';
import { type PendingChange, pendingChanges } from './pending-change.record.js';

interface AgainCall {
  readonly operation: RegisteredOperation;
  readonly input: object;
}

@Injectable()
export class AskingAgain {
  constructor(
    private readonly runner: CommandRunner,
    private readonly targets: ChangeTargets,
    private readonly texts: RecordTexts,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the call that requests the change of a failed or expired card again.
   * @throws Refusal
   */
  async callOf(change: PendingChange): Promise<AgainCall> {
    const { workspaceId } = change;
    const card = cardOf(change, this.clock.now());
    mustBeVoid(card);
    const { input } = await this.texts.whole(pendingChanges, workspaceId, change);
    const asking = await this.targets.asking(workspaceId, card.target, { ...card, input });
    const operation = findOperation(asking.operation);
    if (operation === undefined) throw new Error(`There is no operation ${asking.operation}.`);
    return { operation, input: asking.input };
  }

  /** @throws Refusal if the card cannot be requested again, or this caller may not request such a change */
  async mustBeAskable(caller: Caller, id: string): Promise<void> {
    const found = (await this.runner.find(pendingChanges, caller.workspaceId, id)) ?? pendingChanges.missing();
    authorise((await this.callOf(found)).operation, caller);
  }
}
