import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { checkStarter } from '../../../kernel/actors/run-by.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { isIdForm } from '../../../kernel/text/id-form.js';
import { type MethodCall, SiteMethods } from '../capabilities/site-methods.api.js';
import type { AccountFunction } from '../function/function.record.js';
import { functionsOf } from '../function/function-kinds.api.js';
import { rulesOf } from '../function/function-owner.api.js';
import { refusedToCode } from './refused-to-code.js';
import { VisitorRules } from './visitor-rules.api.js';

/** The exposed functions of sites. One that names no callers in runBy.functions is open to every function. */
@Injectable()
export class ExposedMethods extends SiteMethods {
  constructor(
    private readonly reads: Reads,
    private readonly rules: VisitorRules,
  ) {
    super();
  }

  override callable(call: MethodCall): Promise<{ readonly projectId: string; readonly functionId: string }> {
    const { workspaceId, projectId, nameOrId, starter, visitor } = call;
    return refusedToCode(async () => {
      const fn = await this.inSite(workspaceId, projectId, nameOrId);
      if (!fn.exposed) refuse('method-not-exposed', { name: fn.name });
      if (namesCallers(fn)) checkStarter(fn, starter);
      if (!fn.isActive) refuse('target-inactive', { name: fn.name });
      if (visitor !== undefined) await this.rules.mustExecute(fn, visitor);
      return { projectId, functionId: fn.id };
    });
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
