import type { DomainEvent } from '../event/event.js';

const ruleNames: readonly string[] = [
  'condition',
  'read',
  'write',
  'create',
  'update',
  'delete',
  'execute',
  'send',
  'subscribe',
  'publish',
];

/**
 * True if the event adds a condition with a public rule, or with a policy, function or `not`, because these can admit
 * people without a sign-in. Drafts open nothing.
 */
export function opensAccess({ type, data }: DomainEvent, before: unknown): boolean {
  if (type.endsWith('DraftSaved')) return false;
  const former = new Set(rulesIn(before).map(([name, rule]) => `${name} ${JSON.stringify(rule)}`));
  return rulesIn(data).some(([name, rule]) => mayAdmitAnyone(rule) && !former.has(`${name} ${JSON.stringify(rule)}`));
}

/** Like `opensAccess`, but also true if a draft with such a condition is published. */
export function publishesOpening(event: DomainEvent, before: unknown): boolean {
  const { accessRules, draft } = (before ?? {}) as { readonly accessRules?: object; readonly draft?: object | null };
  if (event.type !== 'FunctionPublished' || !draft) return opensAccess(event, before);
  return opensAccess({ type: event.type, data: draft }, { accessRules });
}

function rulesIn(value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]): readonly (readonly [string, unknown])[] =>
    ruleNames.includes(name) && typeof member === 'object' && member !== null && !isRules(member)
      ? [[name, member]]
      : rulesIn(member),
  );
}

const isRules = (value: object) => Object.keys(value).some((name) => ruleNames.includes(name));

function mayAdmitAnyone(condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null) return false;
  const { type, policy } = condition as { readonly type?: unknown; readonly policy?: unknown };
  if (type === 'public' || type === 'function' || policy !== undefined || Object.hasOwn(condition, 'not')) return true;
  return Object.values(condition).some(mayAdmitAnyone);
}
