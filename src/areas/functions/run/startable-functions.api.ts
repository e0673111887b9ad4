import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { checkStarter } from '../../../kernel/actors/run-by.js';
import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { isIdForm } from '../../../kernel/text/id-form.js';
import type { AccountFunction } from '../function/function.record.js';
import { functionsOf } from '../function/function-kinds.api.js';
import { rulesOf } from '../function/function-owner.api.js';
import { mustRun } from './run.js';

export interface StartableFunction {
  readonly id: string;
  /** @throws Refusal run-not-allowed */
  checkStarter(starter: Starter): void;
}

/**
 * Finds functions by what starters call them: an id wins over an exact name (settled question Q-A05), and anything that
 * looks like an id is treated as one. In old logs a function may have a name that looks like an id. Such a name never
 * matches in place of a deleted function.
 */
@Injectable()
export class StartableFunctions {
  constructor(private readonly reads: Reads) {}

  /** @throws Refusal function-not-found, run-not-allowed, target-inactive */
  async find(workspaceId: string, idOrName: string, starter: Starter): Promise<AccountFunction> {
    return this.startableBy(await this.lookUp(workspaceId, idOrName), starter);
  }

  /** The same by id only; a name does not match. Also for a function of a site. */
  async byId(workspaceId: string, id: string, starter: Starter, owned: Owned = {}): Promise<AccountFunction> {
    const { collection } = rulesOf(owned);
    return this.startableBy(await this.reads.get<AccountFunction>(workspaceId, collection, id), starter, owned);
  }

  /** A site's function by its name, which is what its callers know. */
  async ofSite(workspaceId: string, projectId: string, name: string, starter: Starter): Promise<AccountFunction> {
    return this.startableBy(await this.lookUpOfSite(workspaceId, projectId, name), starter, { projectId });
  }

  /** Whoever may start it: undefined where there is none. */
  lookUpOfSite(workspaceId: string, projectId: string, name: string): Promise<AccountFunction | undefined> {
    return this.reads.first<AccountFunction>(workspaceId, rulesOf({ projectId }).collection, { projectId, name });
  }

  /** Whoever may start it: undefined where there is none. */
  async lookUp(workspaceId: string, idOrName: string): Promise<AccountFunction | undefined> {
    const fn = await this.reads.get<AccountFunction>(workspaceId, 'functions', idOrName);
    if (fn !== undefined || isIdForm(idOrName)) return fn;
    return this.reads.first<AccountFunction>(workspaceId, 'functions', { name: idOrName });
  }

  private startableBy(fn: AccountFunction | undefined, starter: Starter, owned: Owned = {}): AccountFunction {
    if (fn === undefined) return functionsOf(owned).missing();
    checkStarter(fn, starter);
    mustRun(fn, starter);
    return fn;
  }

  /** For starts at a later time, so the function may be inactive now. Undefined when there is no such function. */
  async named(workspaceId: string, nameOrId: string): Promise<StartableFunction | undefined> {
    const fn = await this.lookUp(workspaceId, nameOrId);
    return fn && { id: fn.id, checkStarter: (starter) => checkStarter(fn, starter) };
  }
}
