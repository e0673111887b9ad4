import { Injectable } from '@nestjs/common';
import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { findOperation } from '../../../engine/operation/operation.js';
import { JudgedFunctions } from '../../functions/function/cards/judged-function.api.js';
import type { CardRisk } from './card-context.api.js';

/** Changes of these kinds are risky if the function has Full data access. */
const changesOfFunctions: readonly string[] = [
  'function-save',
  'function-publish',
  'function-roll-back',
  'function-access-rules',
];

@Injectable()
export class CardRisks {
  constructor(private readonly functions: JudgedFunctions) {}

  /** The returned function looks each target up only once, so use it for all cards of an answer. */
  judge(workspaceId: string): (card: PendingChangeCard) => Promise<readonly CardRisk[]> {
    const powerful = new Map<string, Promise<boolean>>();
    return async (card) => {
      const risks = risksOf(card);
      if (risks.includes('full-data-access') || !changesOfFunctions.includes(card.kind)) return risks;
      const { kind, id } = card.target;
      const known = powerful.get(id) ?? this.functions.reachesAllRows(workspaceId, kind, id);
      powerful.set(id, known);
      return (await known) ? ['full-data-access', ...risks] : risks;
    };
  }
}

export function risksOf({ kind, target, changes }: PendingChangeCard): readonly CardRisk[] {
  const operation = findOperation(kind);
  if (operation !== undefined) {
    if (operation.takesAway !== true) return [];
    const isOfSite = operation.permission.startsWith('site.') && target.kind !== 'project';
    return [isOfSite ? 'deletion' : 'workspace-deletion'];
  }
  // A change of an access policy becomes a card only if the policy decides who may execute a function with Full data
  // access.
  if (kind === 'access-policy') return ['full-data-access'];
  const powers = changes.find(({ path }) => path === 'capabilities');
  const givesAll = listOf(powers?.to).includes('service') && !listOf(powers?.from).includes('service');
  return [
    ...(givesAll ? (['full-data-access'] as const) : []),
    ...(kind === 'function-identity-mode' ? (['identity-mode'] as const) : []),
  ];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
