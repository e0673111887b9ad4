import { CommandHandler } from '@nestjs/cqrs';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { callOf } from '../../../engine/operation/call.js';
import { findOperation } from '../../../engine/operation/operation.js';
import { PendingApproval } from '../../../engine/operation/pending-approval.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import { Clock } from '../../../ports/clock.port.js';
import { cardOf } from './card.js';
import { mustBeVoid } from './deciders.api.js';
import { AskAgain } from './pending-change.operations.js';
import { pendingChanges } from './pending-change.record.js';

type Waits = { readonly pendingChange: object; readonly approveLink: string };

/** Has the operation that asks for such a card asked again by the caller. */
@CommandHandler(AskAgain)
export class AskAgainHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly targets: ChangeTargets,
    private readonly pipeline: Pipeline,
    private readonly scopes: RecordScopes,
    private readonly texts: RecordTexts,
    private readonly clock: Clock,
  ) {}

  async execute(input: AskAgain): Promise<object> {
    const { caller, ...call } = callOf(input);
    const { workspaceId } = call;
    const found = await this.runner.find(pendingChanges, workspaceId, input.id);
    if (found === undefined || caller === undefined) return pendingChanges.missing();
    await this.scopes.mustBeOpen({ ...call, caller }, found.target);
    const card = cardOf(found, this.clock.now());
    mustBeVoid(card);
    const { input: asked } = await this.texts.whole(pendingChanges, workspaceId, found);
    const asking = await this.targets.asking(workspaceId, card.target, { ...card, input: asked });
    const operation = findOperation(asking.operation);
    if (operation === undefined) throw new Error(`There is no operation ${asking.operation}.`);
    const again = { ...call, caller, judgedAs: operation.name };
    const { body, waiting } = await this.pipeline.asPart(operation, asking.input, again);
    if (!waiting) return { success: true };
    const { pendingChange, approveLink } = body as Waits;
    return new PendingApproval({ success: true, pendingChange, approveLink });
  }
}
