import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { checkStarter } from '../../../kernel/actors/run-by.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { isIdForm } from '../../../kernel/text/id-form.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import type { AccountFunction } from '../function/function.record.js';
import { functionsOf } from '../function/function-kinds.api.js';
import { rulesOf } from '../function/function-owner.api.js';
import { refuse } from '../functions.refusals.js';
import { VisitorRules } from './visitors/visitor-rules.api.js';

/** A function of a site that another function calls as a method. */
export interface MethodCall {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly nameOrId: string;
  readonly starter: Starter & { readonly kind: 'function' };
  /** The site user or visitor behind the call, whom the method's execute rule judges. */
  readonly visitor: Visitor | undefined;
}

/** The exposed functions of sites. One that names no callers in runBy.functions is open to every function. */
@Injectable()
export class ExposedMethods {
  constructor(
    private readonly reads: Reads,
    private readonly rules: VisitorRules,
  ) {}

  /** @throws Refusal when there is none, or this caller may not call it */
  async callable({ workspaceId, projectId, nameOrId, starter, visitor }: MethodCall) {
    const fn = await this.inSite(workspaceId, projectId, nameOrId);
    if (!fn.exposed) refuse('method-not-exposed', { name: fn.name });
    if (namesCallers(fn)) checkStarter(fn, starter);
    if (!fn.isActive) refuse('target-inactive', { name: fn.name });
    if (visitor !== undefined) await this.rules.mustExecute(fn, visitor);
    return { projectId, functionId: fn.id };
  }

  private async inSite(workspaceId: string, projectId: string, nameOrId: string): Promise<AccountFunction> {
    const { collection } = rulesOf({ projectId });
    const which = isIdForm(nameOrId) ? { id: nameOrId } : { name: nameOrId };
    const fn = await this.reads.first<AccountFunction>(workspaceId, collection, { projectId, ...which });
    return fn ?? functionsOf({ projectId }).missing();
  }
}

function namesCallers({ accessRules: { runBy } }: AccountFunction): boolean {
  return runBy !== null && runBy.functions !== 'any' && runBy.functions.length > 0;
}
