import { isPersons } from '../../../kernel/callers/caller.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import { type ConditionReach, reachOf } from '../../../kernel/condition/reach.js';
import type { Actor } from '../../../kernel/event/event.js';
import { refuse } from '../access.refusals.js';

/**
 * Who may change a policy or a gate (see `RuleLead`) on which a function's execute rules depend. `none`: every caller
 * with the right to do so. `person`: only people, because the function has secrets, powers, connected apps or service
 * tools. `card`: only people, and the change waits for a person's approval, because the function has Full data access.
 */
export type Guard = 'none' | 'person' | 'card';

/**
 * A function with secrets, powers, connected apps, service tools or Full data access. `rules` contains the execute
 * rules of its live version and of its open draft.
 */
export interface GuardedFunction {
  readonly id: string;
  readonly name: string;
  readonly guard: Exclude<Guard, 'none'>;
  readonly rules: readonly unknown[];
}

/** A `gate` is a function whose answer decides the rule of another function. */
export interface RuleLead {
  readonly kind: 'policy' | 'gate';
  readonly id: string;
}

/** `functions` have rules that refer to a policy or gate. `guard` is the strictest guard among these functions. */
export interface LedFrom {
  readonly guard: Guard;
  readonly functions: readonly GuardedFunction[];
}

export const ledFromNone: LedFrom = { guard: 'none', functions: [] };

/** Returns the functions whose rules refer to this policy or gate. A change of it can change who may execute them. */
export function ledFrom(lead: RuleLead, guarded: readonly GuardedFunction[], policies: Policies): LedFrom {
  const functions = guarded.filter(({ rules }) => isReached(lead, reachOf(rules, policies)));
  if (functions.length === 0) return ledFromNone;
  return { guard: functions.some(({ guard }) => guard === 'card') ? 'card' : 'person', functions };
}

function isReached({ kind, id }: RuleLead, { policies, functions }: ConditionReach): boolean {
  switch (kind) {
    case 'policy':
      return policies.has(id);
    case 'gate':
      return functions.has(id);
  }
}

/**
 * @param what the changed record, such as "the policy 'Staff'"
 * @throws Refusal agent-may-not-change, automation-may-not-change, if the guard requires a person
 */
export function mustBePersons(by: Actor, what: string, led: LedFrom): void {
  if (led.guard === 'none' || isPersons(by.kind)) return;
  refuseMachine(by, `${what}, which decides who may execute ${namesOf(led.functions)}`);
}

/** @throws Refusal agent-may-not-change, automation-may-not-change */
export function refuseMachine(by: Actor, what: string): never {
  return refuse(by.kind === 'agent' ? 'agent-may-not-change' : 'automation-may-not-change', { what });
}

/** Returns a clause that follows the name of the policy or gate. */
export function ledFromWords({ functions }: LedFrom): string {
  const full = functions.filter(({ guard }) => guard === 'card');
  return `which decides who may execute ${namesOf(full)}, with Full data access`;
}

const mostNames = 5;

function namesOf(functions: readonly GuardedFunction[]): string {
  const named = functions.slice(0, mostNames).map(({ name }) => `'${name}'`);
  const others = functions.length - named.length;
  return `the function${functions.length === 1 ? '' : 's'} ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
