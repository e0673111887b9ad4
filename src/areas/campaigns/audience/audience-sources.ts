import type { Policies } from '../../../kernel/condition/condition.js';
import { readStored } from '../../../kernel/condition/read-condition.js';
import type { Part } from '../../../kernel/condition/reading.js';

export type AudienceSource = { readonly roleId: string } | { readonly entitlement: string };

const most = 8;

/**
 * A user without any of the returned roles and entitlements does not meet the condition. For other users, the condition
 * must still be evaluated. Returns undefined if every user must be checked.
 */
export function sourcesOf(condition: unknown, policies: Policies): readonly AudienceSource[] | undefined {
  const found = ofCondition(condition, policies, 0);
  return found === undefined || found.length > most ? undefined : found;
}

function ofCondition(condition: unknown, policies: Policies, depth: number): readonly AudienceSource[] | undefined {
  const reading = readStored(condition);
  // A condition with policies nested deeper than 16 levels gives no access when it is evaluated, so no queries are
  // derived from it.
  if (!reading.ok || reading.root === undefined || depth > 16) return undefined;
  return ofPart(reading.root, policies, depth);
}

function ofPart(part: Part, policies: Policies, depth: number): readonly AudienceSource[] | undefined {
  switch (part.kind) {
    case 'rule':
      if (part.rule.type === 'has_role') return [{ roleId: part.rule.roleId }];
      return part.rule.type === 'has_entitlement' ? [{ entitlement: part.rule.key }] : undefined;
    case 'policy':
      return ofCondition(policies(part.id)?.condition, policies, depth + 1);
    case 'not':
      return undefined;
    case 'all': {
      const known = part.parts.flatMap((one) => {
        const found = ofPart(one, policies, depth);
        return found === undefined ? [] : [found];
      });
      return known.toSorted((one, other) => one.length - other.length)[0];
    }
    case 'any':
    case 'list': {
      const all = part.parts.map((one) => ofPart(one, policies, depth));
      return all.includes(undefined) ? undefined : unique(all.flatMap((one) => one ?? []));
    }
  }
}

const unique = (sources: readonly AudienceSource[]): readonly AudienceSource[] => [
  ...new Map(sources.map((one) => [JSON.stringify(one), one])).values(),
];
