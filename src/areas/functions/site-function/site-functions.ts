import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { functionsNamed } from '../../../kernel/condition/function-chain.js';
import { StoredConditions } from '../../access/judging/condition-holders.api.js';
import type { AccessPolicies } from '../../access/policy/access-policy.record.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { termsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { KeepFixing } from '../function/cards/keep-fixing.api.js';
import { type FunctionDocument, siteFunctions } from '../function/function.record.js';
import { FunctionCommands, type NamedFunction } from '../function/function-commands.api.js';
import { FunctionRules } from '../function/rights/function-rules.api.js';
import { type SiteFunctionRow, wholeRules } from '../function/shown/site-function-shapes.api.js';
import { siteFunctionRow } from '../function/shown/site-function-view.api.js';
import { refuse } from '../functions.refusals.js';
import { RuleCycles } from './rule-cycles.js';
import type { NewSiteFunction, RulesToSet, SiteFunctionChanges, UsingPlace } from './site-function-inputs.js';

@Injectable()
export class SiteFunctions {
  constructor(
    private readonly work: FunctionCommands,
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
    private readonly environment: Environment,
    private readonly chains: RuleCycles,
    private readonly fixing: KeepFixing,
    private readonly policies: SitePolicies,
    private readonly holders: StoredConditions,
    private readonly rules: FunctionRules,
  ) {}

  /** Code functions require a paid plan (settled question Q-S124). Data functions do not. */
  async create(call: OperationContext, { projectId, accessRules, ...input }: NewSiteFunction): Promise<object> {
    if ((await termsOf(this.reads, call.workspaceId)).plan === 'free') {
      const { upgradeUrl } = this.environment;
      refuse(
        'plan-limit',
        { plan: 'free', what: 'data functions, but no functions with code', upgradeUrl },
        { upgradeUrl },
      );
    }
    const rules = wholeRules(accessRules);
    await this.chains.check(call, { projectId, id: '' }, rules);
    return this.work.create(call, { ...input, ...(rules ? { accessRules: rules } : {}) }, { projectId });
  }

  async update(call: OperationContext, named: NamedFunction, sent: SiteFunctionChanges): Promise<object> {
    const { projectId: _, functionId: __, accessRules, connections, ...input } = sent;
    const rules = wholeRules(accessRules);
    await this.chains.check(call, named, rules);
    return this.work.update(call, named, {
      ...input,
      ...(rules ? { accessRules: rules } : {}),
      ...(connections ? { grants: { connections } } : {}),
    });
  }

  async setRules(
    call: OperationContext,
    { functionId, accessRules }: { readonly functionId: string; readonly accessRules: RulesToSet },
  ): Promise<object> {
    const fn = await this.rules.find(call, functionId);
    const { execute, ...left } = wholeRules(accessRules) ?? {};
    const sent = { ...left, execute: execute ?? null };
    await this.chains.check(call, fn, sent);
    return this.rules.set(call, fn, sent);
  }

  async get({ workspaceId }: OperationContext, named: NamedFunction): Promise<object> {
    const fn = await this.work.find(workspaceId, named);
    const keepFixingUntil = this.fixing.until(fn);
    return { ...(await this.work.shown(fn)), accessRuleUses: await this.usesOf(fn), keepFixingUntil };
  }

  /** Oldest first. */
  async list({ workspaceId }: OperationContext, projectId: string): Promise<readonly SiteFunctionRow[]> {
    const found = await this.reads.find<FunctionDocument>(workspaceId, 'siteFunctions', {
      where: { projectId },
      sort: [['createdAt', 'asc']],
    });
    return Promise.all(
      found.map(async (fn) => siteFunctionRow(fn, await this.texts.readAll(siteFunctions, workspaceId, fn))),
    );
  }

  private async usesOf({ workspaceId, projectId = '', id }: FunctionDocument): Promise<readonly UsingPlace[]> {
    const policies = await this.policies.of(workspaceId, projectId);
    const conditions = await this.holders.conditionsOf(workspaceId, projectId);
    const set = await this.reads.get<AccessPolicies>(workspaceId, 'accessPolicySets', projectId);
    const policySet = Object.entries(set?.policies ?? {}).map(([policyId, one]) => ({ ...one, id: policyId }));
    const all = [...conditions, ...policySet.map((one) => ({ ...one, place: 'policy' as const }))];
    const using = all.filter(({ place, condition }) => functionsNamed(condition, place, policies).includes(id));
    const uses = using.map((one) => ({ place: one.place, id: one.id, name: one.name }));
    return [...new Map(uses.map((use) => [`${use.place} ${use.id}`, use])).values()];
  }
}
