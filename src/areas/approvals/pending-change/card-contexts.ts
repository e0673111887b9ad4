import { Injectable } from '@nestjs/common';
import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { failedCheck } from '../../../engine/authorisation/authorisation.js';
import { findOperation } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import type { Target } from '../../../kernel/callers/target.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { conditionWords } from '../../../kernel/judging/condition-words.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { type Flow, flows } from '../../flows/flow/flow.record.js';
import { functionMeans, secretMeans } from '../../functions/function/cards/function-means.api.js';
import { JudgedFunctions } from '../../functions/function/cards/judged-function.api.js';
import type { FunctionDocument } from '../../functions/function/function.record.js';
import { ownerRulesOf } from '../../functions/function/function-owner.api.js';
import type { Run } from '../../functions/run/run.record.js';
import { Sites } from '../../sites/project/sites.api.js';
import type { CardContext, CardRun, CardSite } from './card-context.api.js';
import { hasAsked } from './deciders.api.js';
import type { PendingChange } from './pending-change.record.js';
import { CardStarts } from './target-starts.js';

type MayUse = (operation: string) => Promise<boolean>;

/**
 * A context contains a fact only if the caller may call the operation that otherwise returns the fact, such as
 * `flows/getFlow`.
 */
@Injectable()
export class CardContexts {
  constructor(
    private readonly reads: Reads,
    private readonly scopes: Scopes,
    private readonly functions: JudgedFunctions,
    private readonly starts: CardStarts,
    private readonly policies: SitePolicies,
    private readonly sites: Sites,
  ) {}

  async of(call: OperationContext, change: PendingChange, card: PendingChangeCard): Promise<CardContext> {
    const { workspaceId, caller } = call;
    const askedByYou = caller !== undefined && hasAsked(change, caller);
    const common = { askedByYou, means: meansOf(card) };
    const { kind, id } = card.target;
    const fn = await this.functions.find(workspaceId, kind, id);
    if (fn !== undefined) return { ...common, ...(await this.ofFunction(call, fn, change, card)) };
    const flow = kind === flows.category ? await this.reads.get<Flow>(workspaceId, 'flows', id) : undefined;
    if (flow !== undefined) return { ...common, ...(await this.ofFlow(call, flow)) };
    return common;
  }

  private async ofFunction(
    call: OperationContext,
    fn: FunctionDocument,
    change: PendingChange,
    card: PendingChangeCard,
  ) {
    const rules = ownerRulesOf(fn);
    const isOfSite = fn.projectId !== undefined;
    const mayUse = this.rightsOf(call, fn.projectId);
    const target: Target = { kind: rules.targetKind, ref: fn.id };
    const mayRead = await mayUse(rules.audited.shownBy);
    const mayReadRuns = await mayUse(isOfSite ? 'site/listFunctionRuns' : 'automations/listRuns');
    const ofFunction = mayRead ? await this.shownOf(call, fn, change, card) : {};
    const runs = mayReadRuns ? { runs: (await this.functions.runs(fn)).map(runOf) } : {};
    const by = mayRead ? await this.starts.runBy(call.workspaceId, fn.accessRules.runBy, rules.collection) : [];
    const schedules = isOfSite ? 'site/listSchedules' : 'automations/listTriggers';
    const triggers = await this.starts.triggers(call.workspaceId, target, mayUse, schedules);
    return { ...ofFunction, starts: [...triggers, ...by], ...runs };
  }

  private async shownOf(call: OperationContext, fn: FunctionDocument, change: PendingChange, card: PendingChangeCard) {
    const proposed = { card, input: change.input };
    const code = await this.functions.code(fn, proposed);
    const { capabilities, identityMode, secrets, grants, workspaceId, projectId } = fn;
    const policies = projectId === undefined ? () => undefined : await this.policies.of(workspaceId, projectId);
    return {
      code,
      lacks: await this.functions.lacking(fn, code, proposed),
      execute: conditionWords(fn.accessRules.execute ?? [], policies),
      sites: await this.sitesOf(call, fn),
      holds: { capabilities, identityMode, secrets, grants: grants as unknown as JsonObject },
    };
  }

  private async sitesOf(call: OperationContext, { grants, projectId }: FunctionDocument): Promise<readonly CardSite[]> {
    const granted = projectId === undefined ? grants.bases : [{ projectId, access: 'write' }];
    return Promise.all(
      granted.map(async ({ projectId: id, access }) => {
        const isShown = await this.rightsOf(call, id)('site/getProject');
        return { id, name: isShown ? ((await this.sites.nameOf(call.workspaceId, id)) ?? null) : null, access };
      }),
    );
  }

  private async ofFlow(call: OperationContext, { id, secrets }: Flow) {
    const mayUse = this.rightsOf(call, undefined);
    const target = { kind: 'flow', ref: id } as const;
    const starts = await this.starts.triggers(call.workspaceId, target, mayUse, 'automations/listTargetTriggers');
    return { starts, ...((await mayUse('flows/getFlow')) ? { holds: { secrets } } : {}) };
  }

  private rightsOf(call: OperationContext, projectId: string | undefined): MayUse {
    return async (name) => {
      const operation = findOperation(name);
      if (call.caller === undefined || operation === undefined) return false;
      if (failedCheck(operation, call.caller) !== undefined) return false;
      return (await this.scopes.openTo({ ...call, operation: name }))(projectId);
    };
  }
}

function meansOf({ kind, target, changes }: PendingChangeCard): readonly string[] {
  const operation = findOperation(kind);
  if (operation !== undefined) return [operation.summary];
  const secrets = kind === 'flow-secrets' ? changes.find(({ path }) => path === 'secrets') : undefined;
  if (secrets !== undefined) return secretMeans(`The flow '${target.name}'`, secrets.from, secrets.to);
  return functionMeans({ kind, target, changes });
}

function runOf({ id, source, status, attempts, createdAt }: Run): CardRun {
  const last = attempts.at(-1);
  const { durationMs = null, error = null } = last ?? {};
  return { id, source, status, startedAt: attempts[0]?.startedAt ?? createdAt, durationMs, error };
}
