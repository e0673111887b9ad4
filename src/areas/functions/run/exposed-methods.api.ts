import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { checkStarter } from '../../../kernel/actors/run-by.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { isIdForm } from '../../../kernel/text/id-form.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import type { FunctionDocument } from '../function/function.record.js';
import { functionsOf } from '../function/function-kinds.api.js';
import { ownerRulesOf } from '../function/function-owner.api.js';
import { refuse } from '../functions.refusals.js';
import { VisitorRules } from './visitors/visitor-rules.api.js';

export interface MethodCall {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly nameOrId: string;
  readonly starter: Starter & { readonly kind: 'function' };
  readonly visitor: Visitor | undefined;
}

/** If `runBy.functions` lists none, every function may call the method. */
@Injectable()
export class ExposedMethods {
  constructor(
    private readonly reads: Reads,
    private readonly rules: VisitorRules,
  ) {}

  /** @throws Refusal if there is no such method, or this caller may not call it */
  async callable({ workspaceId, projectId, nameOrId, starter, visitor }: MethodCall) {
    const fn = await this.inSite(workspaceId, projectId, nameOrId);
    if (!fn.exposed) refuse('method-not-exposed', { name: fn.name });
    if (namesCallers(fn)) checkStarter(fn, starter);
    if (!fn.isActive) refuse('target-inactive', { name: fn.name });
    if (visitor !== undefined) await this.rules.mustExecute(fn, visitor);
    return { projectId, functionId: fn.id };
  }

  private async inSite(workspaceId: string, projectId: string, nameOrId: string): Promise<FunctionDocument> {
    const { collection } = ownerRulesOf({ projectId });
    const which = isIdForm(nameOrId) ? { id: nameOrId } : { name: nameOrId };
    const fn = await this.reads.first<FunctionDocument>(workspaceId, collection, { projectId, ...which });
    return fn ?? functionsOf({ projectId }).missing();
  }
}

function namesCallers({ accessRules: { runBy } }: FunctionDocument): boolean {
  return runBy !== null && runBy.functions !== 'any' && runBy.functions.length > 0;
}
