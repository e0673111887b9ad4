import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../../engine/authorisation/authenticator.js';
import { requiredRights, rightsChecks } from '../../../engine/authorisation/authorisation.js';
import { DecisionExplainers, type Explanation } from '../../../engine/explain/decision-explainers.js';
import { DecisionIds, decisionRetentionMs } from '../../../engine/explain/decision-ids.js';
import { judgedCaller } from '../../../engine/explain/rights-decisions.js';
import { findOperation } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { canonicalJson } from '../../../kernel/json/canonical-json.js';
import type { JudgedCaller, RightDecision } from '../../../kernel/judging/decision.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../audit.refusals.js';
import type { ExplainedDecision } from './explained-decision.api.js';
import { judgedChecks, permissionsOf, rightsChanges } from './rights-change.js';

/**
 * Only callers who may change the rule or right that caused the refusal get an explanation. Other callers get the same
 * refusal as if the decision did not exist.
 */
@Injectable()
export class Decisions {
  constructor(
    private readonly ids: DecisionIds,
    private readonly explainers: DecisionExplainers,
  ) {}

  async explained(call: OperationContext, id: string): Promise<ExplainedDecision> {
    const decision = await this.ids.open(call.workspaceId, id);
    const explanation = decision && (await this.explainers.explain(call, decision));
    if (explanation === undefined) return refuse('decision-not-found');
    const { at, code } = decision as NonNullable<typeof decision>;
    if (Date.parse(call.at) - Date.parse(at) > decisionRetentionMs) return refuse('decision-too-old', { at });
    return { at, code, allowed: false, ...explanation };
  }
}

@Injectable()
export class RightsExplanations {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly reads: Reads,
  ) {}

  async of(call: OperationContext, decision: RightDecision): Promise<Explanation | undefined> {
    if (call.caller?.permissions.has('members.manage') !== true) return undefined;
    const { operation, asked, caller, code, sentence } = decision;
    const { workspaceId } = call;
    const now = await this.callerNow(workspaceId, caller);
    const name = now === undefined || now.name === '' ? await this.nameOf(workspaceId, caller) : now.name;
    const checks = judgedChecks(decision);
    const parts = checks.map((one, index) => ({
      kind: 'check',
      path: `all[${index}]`,
      outcome: one.isMet ? ('allowed' as const) : ('denied' as const),
      sentence: one.sentence,
    }));
    const isShared = rightsChecks.some((check) => check.code === code);
    const own = { kind: 'check', path: `all[${parts.length}]`, outcome: 'denied' as const, sentence: sentence ?? code };
    const all = isShared ? parts : [...parts, own];
    const allMet = all.filter(({ outcome }) => outcome === 'allowed').length;
    const firstFailure = all.find(({ outcome }) => outcome === 'denied')?.sentence ?? '';
    const spec = findOperation(operation);
    const checksNow = spec && requiredRights(spec);
    const isSame =
      checksNow !== undefined && now !== undefined && same(asked, checksNow) && same(caller, judgedCaller(now));
    return {
      who: { kind: isCode(caller) ? 'function' : caller.kind, id: caller.id, name: name ?? null },
      operation,
      place: null,
      sentence: firstFailure,
      tree: {
        kind: 'all',
        path: '',
        outcome: 'denied',
        sentence: `All of ${all.length} must grant access: ${allMet} do, so this denies access.`,
        parts: all,
      },
      smallestChange: [
        ...rightsChanges(decision, name ?? 'the caller').map(({ code: of, sentence: step }) => ({
          path: parts[checks.findIndex((one) => one.code === of)]?.path ?? '',
          from: 'denied' as const,
          to: 'allowed' as const,
          sentence: step,
        })),
        ...(isShared
          ? []
          : [{ path: own.path, from: 'denied' as const, to: 'allowed' as const, sentence: own.sentence }]),
      ],
      changedSince: !isSame,
      allowedNow: allowedNow(isShared, now, checksNow),
      note: noteOf(isSame, now, isShared),
    };
  }

  private async callerNow(workspaceId: string, judged: JudgedCaller): Promise<Caller | undefined> {
    const { kind, id, keyId } = judged;
    // A function's rights are fixed, so they are the same now as when the call was refused.
    if (isCode(judged)) return { ...judged, workspaceId, name: '', permissions: permissionsOf(judged) };
    return kind === 'agent' && keyId === ''
      ? this.authenticator.callerAsAgent(workspaceId, id)
      : this.authenticator.callerOfKey(keyId);
  }

  private async nameOf(workspaceId: string, caller: JudgedCaller): Promise<string | undefined> {
    for (const collection of isCode(caller) ? ['functions', 'siteFunctions'] : collections[caller.kind]) {
      const found = await this.reads.get<Document & { readonly name?: string }>(workspaceId, collection, caller.id);
      if (found !== undefined) return found.name;
    }
    return undefined;
  }
}

const collections: Readonly<Record<JudgedCaller['kind'], readonly string[]>> = {
  person: ['members'],
  agent: ['agents'],
  connection: ['apiKeys'],
  automation: ['apiKeys'],
  flow: ['apiKeys'],
};

const isCode = ({ kind, keyId }: JudgedCaller) => kind === 'automation' && keyId === '';

const same = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other);

function allowedNow(
  isShared: boolean,
  now: Caller | undefined,
  asked: ReturnType<typeof requiredRights> | undefined,
): boolean | null {
  if (now === undefined || asked === undefined) return false;
  const isMet = rightsChecks.every((check) => check.isMet(asked, now));
  return isShared || !isMet ? isMet : null;
}

function noteOf(isSame: boolean, now: Caller | undefined, isShared: boolean): string | null {
  if (now === undefined)
    return 'The key has been revoked or has expired since, or the person behind it is no longer a member.';
  if (!isSame) return 'The rights of the caller, or those that the operation requires, have changed since.';
  return isShared ? null : 'The last check is specific to the operation; its outcome now depends on the call.';
}
