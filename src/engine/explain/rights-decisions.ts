import { Injectable } from '@nestjs/common';
import { type Caller, permissionsOfRole } from '../../kernel/callers/caller.js';
import { mayHoldSealed } from '../../kernel/event/personal-data.js';
import type { JudgedCaller } from '../../kernel/judging/decision.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { Clock } from '../../ports/clock.port.js';
import {
  failedCheck,
  type Judged,
  mustBeWithinKey,
  refusalOfCheck,
  requiredRights,
  rightsChecks,
} from '../authorisation/authorisation.js';
import { DecisionIds } from './decision-ids.js';

export const notOfRights: readonly string[] = [
  'plan-limit',
  'needsMailbox',
  'ai-permissions-widen',
  'key-narrowed',
  // Refusals with the following codes get their decision ids from `PowerDecisions`.
  'site-not-granted',
  'site-read-only',
  'base-not-granted',
];

@Injectable()
export class RightsDecisions {
  constructor(
    private readonly ids: DecisionIds,
    private readonly clock: Clock,
  ) {}

  /** @throws Refusal; it has a decision id, unless its code is key-narrowed */
  authorise(operation: Judged, caller: Caller): void {
    mustBeWithinKey(operation, caller);
    const code = failedCheck(operation, caller);
    if (code === undefined) return;
    const decisionId = this.idOf(code, operation, caller);
    throw refusalOfCheck(code, operation.name, operation, caller.kind, { decisionId });
  }

  async deciding<T>(operation: Judged, caller: Caller, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.withDecisionId(error, operation, caller);
    }
  }

  private withDecisionId(error: unknown, operation: Judged, caller: Caller): unknown {
    if (!(error instanceof Refusal) || error.kind !== 'forbidden') return error;
    const { code, message, facts } = error;
    if ('decisionId' in facts || notOfRights.includes(code)) return error;
    const isShared = rightsChecks.some((check) => check.code === code);
    // A sentence may be truncated later, which would break sealed personal data in it. Such a sentence is left out.
    const sentence = isShared || mayHoldSealed(message) ? undefined : message;
    return error.with({ decisionId: this.idOf(code, operation, caller, sentence) });
  }

  private idOf(code: string, operation: Judged, caller: Caller, sentence?: string): string {
    return this.ids.idOf(caller.workspaceId, {
      kind: 'right',
      at: new Date(this.clock.now()).toISOString(),
      code,
      operation: operation.name,
      asked: requiredRights(operation),
      caller: judgedCaller(caller),
      ...(sentence === undefined ? {} : { sentence }),
    });
  }
}

export function judgedCaller({ kind, id, keyId, role, permissions, readOnly, neverDeletes }: Caller): JudgedCaller {
  const ofRole = permissionsOfRole[role];
  return {
    kind,
    id,
    keyId,
    role,
    more: [...permissions].filter((one) => !ofRole.includes(one)),
    less: ofRole.filter((one) => !permissions.has(one)),
    readOnly,
    neverDeletes,
  };
}
