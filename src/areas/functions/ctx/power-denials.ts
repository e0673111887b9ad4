import { Injectable } from '@nestjs/common';
import { type Explanation, explainsDecisions } from '../../../engine/explain/decision-explainers.js';
import { PowerDecisions } from '../../../engine/explain/power-decisions.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Json } from '../../../kernel/json/json.js';
import type { PowerDecision } from '../../../kernel/judging/decision.js';
import { CapabilityRefused } from '../../../ports/offloaded/sandbox.port.js';
import type { FunctionDocument } from '../function/function.record.js';
import { ownerRules } from '../function/function-owner.api.js';
import type { RunScope } from './run-scope.js';

const rightsRefusals: readonly string[] = [
  'power-missing',
  'site-not-granted',
  'site-read-only',
  'base-not-granted',
  'tool-not-granted',
  'key-never-deletes',
  'secret-host',
  'secret-not-granted',
  'not-granted',
  'run-not-allowed',
  'mailbox-of-another-site',
];

@Injectable()
export class PowerDenials {
  constructor(
    private readonly decisions: PowerDecisions,
    private readonly reads: Reads,
  ) {}

  async withDecisionIds(name: string, scope: RunScope, call: () => Promise<Json>): Promise<Json> {
    try {
      return await call();
    } catch (error) {
      throw this.withDecisionId(error, name, scope);
    }
  }

  /** Only callers who may change the function get an explanation. */
  async explained(call: OperationContext, decision: PowerDecision): Promise<Explanation | undefined> {
    const { at, member, functionId, projectId, sentence, visitor } = decision;
    const rules = ownerRules[projectId === undefined ? 'workspace' : 'project'];
    if (call.caller?.permissions.has(projectId === undefined ? 'functions.edit' : 'site.edit') !== true)
      return undefined;
    const fn = await this.reads.get<FunctionDocument>(call.workspaceId, rules.collection, functionId);
    const name = fn?.name ?? null;
    const check = { path: '', sentence };
    return {
      who: visitor === undefined ? { kind: 'function', id: functionId, name } : { ...visitor, name: null },
      operation: member,
      place: visitor === undefined ? null : { kind: 'function', id: functionId, name, operation: 'run', projectId },
      sentence,
      tree: { kind: 'check', outcome: 'denied', ...check },
      smallestChange: [{ from: 'denied', to: 'allowed', ...check }],
      changedSince: fn === undefined || fn.updatedAt > at,
      allowedNow: null,
      note: fn === undefined ? 'The function was deleted.' : null,
    };
  }

  private withDecisionId(error: unknown, name: string, { request, function: fn }: RunScope): unknown {
    if (
      !(error instanceof CapabilityRefused) ||
      error.decisionId !== undefined ||
      !rightsRefusals.includes(error.code)
    ) {
      return error;
    }
    const { message, code, status, fields } = error;
    const about = { code, sentence: message, member: `ctx.${name}` };
    const decisionId = this.decisions.idOf({ workspaceId: request.workspaceId, function: fn, ...about });
    return new CapabilityRefused(message, code, status, fields, decisionId);
  }
}

export const powerDenials = [
  PowerDenials,
  explainsDecisions('power', PowerDenials, (denials, call, decision) => denials.explained(call, decision)),
];
