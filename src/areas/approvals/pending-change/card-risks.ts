import { Injectable } from '@nestjs/common';
import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { findOperation } from '../../../engine/operation/operation.js';
import { JudgedFunctions } from '../../functions/function/cards/judged-function.api.js';
import type { CardRisk } from './card-context.api.js';

/** Card kinds that change what a function does or who starts it: as risky as what the function may do. */
const changesOfFunctions: readonly string[] = [
  'function-save',
  'function-publish',
  'function-roll-back',
  'function-access-rules',
];

/** What makes a card one to look at twice. */
@Injectable()
export class CardRisks {
  constructor(private readonly functions: JudgedFunctions) {}

  /** One answer's cards: each function is looked up once. */
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

/** Those that the card itself shows. */
export function risksOf({ kind, target, changes }: PendingChangeCard): readonly CardRisk[] {
  const operation = findOperation(kind);
  if (operation !== undefined) {
    if (operation.takesAway !== true) return [];
    const isOfSite = operation.permission.startsWith('site.') && target.kind !== 'project';
    return [isOfSite ? 'deletion' : 'workspace-deletion'];
  }
  // A policy waits for a card only where it decides who executes a function with Full data access.
  if (kind === 'access-policy') return ['full-data-access'];
  const powers = changes.find(({ path }) => path === 'capabilities');
  const givesAll = listOf(powers?.to).includes('service') && !listOf(powers?.from).includes('service');
  return [
    ...(givesAll ? (['full-data-access'] as const) : []),
    ...(kind === 'function-identity-mode' ? (['identity-mode'] as const) : []),
  ];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
