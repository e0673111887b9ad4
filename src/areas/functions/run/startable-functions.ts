import { Injectable } from '@nestjs/common';
import { PowerDecisions } from '../../../engine/power-decisions.js';
import { Reads } from '../../../engine/reads.js';
import type { Owned } from '../../../kernel/function-owner.js';
import { isIdForm } from '../../../kernel/id-form.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { checkStarter } from '../../../kernel/run-by.js';
import type { Starter } from '../../../kernel/starter.js';
import { CallableFunctions, type NamedFunction } from '../capabilities/callable-functions.api.js';
import type { AccountFunction } from '../function/function.record.js';
import { functionsOf } from '../function/function-kinds.api.js';
import { rulesOf } from '../function/function-owner.api.js';
import { refusedToCode } from './refused-to-code.js';
import { mayRun } from './run.js';

/**
 * Finds functions by what starters call them: an id wins over an exact name (settled question Q-A05), and anything that
 * looks like an id is treated as one. In old logs a function may have a name that looks like an id. Such a name never
 * matches in place of a deleted function.
 */
@Injectable()
export class StartableFunctions extends CallableFunctions {
  constructor(
    private readonly reads: Reads,
    private readonly decisions: PowerDecisions,
  ) {
    super();
  }

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
    const { collection } = rulesOf({ projectId });
    const fn = await this.reads.first<AccountFunction>(workspaceId, collection, { projectId, name });
    return this.startableBy(fn, starter, { projectId });
  }

  private async lookUp(workspaceId: string, idOrName: string): Promise<AccountFunction | undefined> {
    const fn = await this.reads.get<AccountFunction>(workspaceId, 'functions', idOrName);
    if (fn !== undefined || isIdForm(idOrName)) return fn;
    return this.reads.first<AccountFunction>(workspaceId, 'functions', { name: idOrName });
  }

  private startableBy(fn: AccountFunction | undefined, starter: Starter, owned: Owned = {}): AccountFunction {
    if (fn === undefined) return functionsOf(owned).missing();
    try {
      checkStarter(fn, starter);
    } catch (error) {
      throw this.told(error, fn, starter);
    }
    if (!mayRun(fn, starter)) refuse('target-inactive', { name: fn.name });
    return fn;
  }

  /** What anybody else is refused gets its id where they called. */
  private told(error: unknown, fn: AccountFunction, starter: Starter): unknown {
    const isVisitor = starter.kind === 'user' || starter.kind === 'visitor';
    if (!isVisitor || !(error instanceof Refusal) || error.kind !== 'forbidden') return error;
    const { code, message, facts } = error;
    const { kind, id } = starter;
    const about = { code, sentence: message, member: `functions/${fn.name}`, visitor: { kind, id } };
    const decisionId = this.decisions.idOf({ workspaceId: fn.workspaceId, function: fn, ...about });
    return new Refusal(code, message, { ...facts, decisionId });
  }

  override async named(workspaceId: string, nameOrId: string): Promise<NamedFunction | undefined> {
    const fn = await this.lookUp(workspaceId, nameOrId);
    return fn && { id: fn.id, checkStarter: (starter) => checkStarter(fn, starter) };
  }

  override startable(workspaceId: string, nameOrId: string, starter: Starter): Promise<string> {
    return refusedToCode(async () => (await this.find(workspaceId, nameOrId, starter)).id);
  }
}
