import { Injectable } from '@nestjs/common';
import type { Target } from '../../../../kernel/callers/target.js';
import type { Visitor } from '../../../access/judging/visitor.api.js';
import { ownerRules } from '../../function/function-owner.api.js';
import { RunContext } from '../run-context.js';
import { VisitorRules } from './visitor-rules.api.js';

@Injectable()
export class WebhookRules {
  constructor(
    private readonly context: RunContext,
    private readonly rules: VisitorRules,
  ) {}

  /**
   * The function's execute rule must admit the visitor, and a workspace function must have been granted the visitor's
   * site (rule 10). Does nothing if the target is not a function or the function was deleted.
   * @throws Refusal no-access-rules, execute-refused, site-not-served
   */
  async mustAdmit(workspaceId: string, target: Target, visitor: Visitor): Promise<void> {
    const kind = (['workspace', 'project'] as const).find((one) => ownerRules[one].targetKind === target.kind);
    if (kind === undefined) return;
    const fn = await this.context.find({ workspaceId, functionId: target.ref }, kind);
    if (fn === undefined) return;
    if (kind === 'workspace') this.rules.mustServe(fn, visitor);
    await this.rules.mustExecute(fn, visitor);
  }
}
