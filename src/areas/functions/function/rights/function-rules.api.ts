import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Gate } from '../../../../engine/approvals/gate.js';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { isPersons } from '../../../../kernel/callers/caller.js';
import { ConditionChecks } from '../../../access/judging/condition-checks.api.js';
import { gatedFunctions } from '../cards/gated-functions.js';
import { type AccessRules, type FunctionDocument, siteFunctions } from '../function.record.js';
import { ownerRules } from '../function-owner.api.js';
import { FunctionVersionReader } from '../versions/function-version-reader.api.js';
import { changerOf } from './changer.js';
import { type RulesSent, setFunctionRules } from './function-rules.js';
import { checkAgentReaches } from './machine-limits.js';

@Injectable()
export class FunctionRules {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
    private readonly checks: ConditionChecks,
    private readonly earlier: FunctionVersionReader,
  ) {}

  find(call: OperationContext, id: string): Promise<FunctionDocument> {
    return this.reads.one(call, siteFunctions, id);
  }

  /** Returns null if no rules were ever chosen. Such a function admits no one (settled question Q-S63). */
  async saved(call: OperationContext, id: string): Promise<AccessRules | null> {
    const { accessRules } = await this.find(call, id);
    const { execute, runBy } = accessRules;
    return execute === null && isDeepStrictEqual(runBy, ownerRules.project.runBy) ? null : accessRules;
  }

  /** @throws Refusal condition-invalid, agent-may-not-change, automation-may-not-change */
  async set(call: OperationContext, fn: FunctionDocument, sent: RulesSent): Promise<object> {
    const { workspaceId, id, name, projectId = '' } = fn;
    const about = { workspaceId, projectId, place: 'function', of: `the function '${name}'` } as const;
    const execute =
      sent.execute === null
        ? null
        : ((await this.checks.checked({ ...about, path: 'accessRules.execute' }, sent.execute)) as unknown);
    const rules = { ...sent, execute: execute as AccessRules['execute'] };
    const isMaker = !isPersons(call.actor.kind) && (await this.earlier.isMadeBy(workspaceId, fn, call.actor));
    const changer = await changerOf(call, this.reads);
    return this.gate.change(call, gatedFunctions.project, {
      id,
      decide: (now) => {
        checkAgentReaches(now, changer);
        return setFunctionRules(now, rules, call.actor, isMaker);
      },
    });
  }
}
