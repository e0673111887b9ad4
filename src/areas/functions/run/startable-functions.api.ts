import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { checkStarter } from '../../../kernel/actors/run-by.js';
import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { isIdForm } from '../../../kernel/text/id-form.js';
import type { FunctionDocument } from '../function/function.record.js';
import { functionsOf } from '../function/function-kinds.api.js';
import { ownerRulesOf } from '../function/function-owner.api.js';
import { mustRun } from './run.js';

export interface StartableFunction {
  readonly id: string;
  checkStarter(starter: Starter): void;
}

/**
 * A text in the form of an id is always treated as an id (settled question Q-A05). In old logs, a function's name can
 * look like an id; such a function is found only by its own id.
 */
@Injectable()
export class StartableFunctions {
  constructor(private readonly reads: Reads) {}

  /** @throws Refusal function-not-found, run-not-allowed, target-inactive */
  async find(workspaceId: string, idOrName: string, starter: Starter): Promise<FunctionDocument> {
    return this.startableBy(await this.lookUp(workspaceId, idOrName), starter);
  }

  /** @throws Refusal as in `find`, but site-function-not-found for a function of a site */
  async byId(workspaceId: string, id: string, starter: Starter, owned: Owned = {}): Promise<FunctionDocument> {
    const { collection } = ownerRulesOf(owned);
    return this.startableBy(await this.reads.get<FunctionDocument>(workspaceId, collection, id), starter, owned);
  }

  /** @throws Refusal site-function-not-found, run-not-allowed, target-inactive */
  async ofSite(workspaceId: string, projectId: string, name: string, starter: Starter): Promise<FunctionDocument> {
    return this.startableBy(await this.lookUpOfSite(workspaceId, projectId, name), starter, { projectId });
  }

  lookUpOfSite(workspaceId: string, projectId: string, name: string): Promise<FunctionDocument | undefined> {
    return this.reads.first<FunctionDocument>(workspaceId, ownerRulesOf({ projectId }).collection, { projectId, name });
  }

  async lookUp(workspaceId: string, idOrName: string): Promise<FunctionDocument | undefined> {
    const fn = await this.reads.get<FunctionDocument>(workspaceId, 'functions', idOrName);
    if (fn !== undefined || isIdForm(idOrName)) return fn;
    return this.reads.first<FunctionDocument>(workspaceId, 'functions', { name: idOrName });
  }

  private startableBy(fn: FunctionDocument | undefined, starter: Starter, owned: Owned = {}): FunctionDocument {
    if (fn === undefined) return functionsOf(owned).missing();
    checkStarter(fn, starter);
    mustRun(fn, starter);
    return fn;
  }

  /** Does not require the function to be active, because it will be started later. */
  async named(workspaceId: string, nameOrId: string): Promise<StartableFunction | undefined> {
    const fn = await this.lookUp(workspaceId, nameOrId);
    return fn && { id: fn.id, checkStarter: (starter) => checkStarter(fn, starter) };
  }
}
