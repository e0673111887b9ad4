import type { Policies } from '../../../kernel/condition/condition.js';
import { reachOf } from '../../../kernel/condition/reach.js';
import { readStored } from '../../../kernel/condition/read-condition.js';
import type { Part } from '../../../kernel/condition/reading.js';

const personal = ['email', 'name', 'customFields'] as const;

export interface Needs {
  readonly fields: readonly (typeof personal)[number][];
  readonly entitlements: boolean;
}

export function needsOf(condition: unknown, policies: Policies): Needs {
  const reached = [...reachOf([condition], policies).policies].map((id) => policies(id)?.condition);
  const fields = new Set<string>();
  let entitlements = false;
  const visit = (part: Part): void => {
    switch (part.kind) {
      case 'rule':
        if (part.rule.type === 'email') fields.add('email');
        else if (part.rule.type === 'user_property') fields.add(fieldOf(part.rule.property));
        else if (part.rule.type === 'has_entitlement') entitlements = true;
        return;
      case 'policy':
        return;
      case 'not':
        visit(part.part);
        return;
      case 'all':
      case 'any':
      case 'list':
        for (const one of part.parts) visit(one);
    }
  };
  for (const one of [condition, ...reached]) {
    const reading = readStored(one);
    if (reading.ok && reading.root !== undefined) visit(reading.root);
  }
  return { fields: personal.filter((field) => fields.has(field)), entitlements };
}

function fieldOf(property: string): string {
  return property === 'email' || property === 'name' ? property : 'customFields';
}
