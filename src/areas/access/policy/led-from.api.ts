import { isPersons } from '../../../kernel/callers/caller.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import { type Reach, reachOf } from '../../../kernel/condition/reach.js';
import type { Actor } from '../../../kernel/event/event.js';
import { refuse } from '../access.refusals.js';

/**
 * Who may change who executes a function, and whatever its rules lead to. `none`: every caller with the right.
 * `person`: no machine, because it holds secrets, powers, connected apps or service tools. `card`: it has Full data
 * access, so a person asks and a card is approved.
 */
export type Guard = 'none' | 'person' | 'card';

/** A function that a person approved, and the execute rules that count for it: the live one and that of the open draft. */
export interface Approved {
  readonly id: string;
  readonly name: string;
  readonly guard: Exclude<Guard, 'none'>;
  readonly rules: readonly unknown[];
}

/** What rules can lead to. A gate is a function that a rule asks; its own rules are not judged then. */
export interface Lead {
  readonly kind: 'policy' | 'gate';
  readonly id: string;
}

/** The approved functions whose rules lead to something, and the strictest of their guards. */
export interface LedFrom {
  readonly guard: Guard;
  readonly functions: readonly Approved[];
}

export const ledFromNone: LedFrom = { guard: 'none', functions: [] };

/** The one answer to whether a change of a policy or a gate is a change of who executes an approved function. */
export function ledFrom(lead: Lead, approved: readonly Approved[], policies: Policies): LedFrom {
  const functions = approved.filter(({ rules }) => isReached(lead, reachOf(rules, policies)));
  if (functions.length === 0) return ledFromNone;
  return { guard: functions.some(({ guard }) => guard === 'card') ? 'card' : 'person', functions };
}

function isReached({ kind, id }: Lead, { policies, functions }: Reach): boolean {
  switch (kind) {
    case 'policy':
      return policies.has(id);
    case 'gate':
      return functions.has(id);
  }
}

/** `what` is changed, in words: the policy 'Staff'. @throws Refusal agent-may-not-change, automation-may-not-change */
export function mustBePersons(by: Actor, what: string, led: LedFrom): void {
  if (led.guard === 'none' || isPersons(by.kind)) return;
  refuseMachine(by, `${what}, which decides who may execute ${namesOf(led.functions)}`);
}

/** @throws Refusal agent-may-not-change, automation-may-not-change */
export function refuseMachine(by: Actor, what: string): never {
  return refuse(by.kind === 'agent' ? 'agent-may-not-change' : 'automation-may-not-change', { what });
}

/** Why the change of a policy or a gate waits for a card: words that follow its name. */
export function wordsOf({ functions }: LedFrom): string {
  const full = functions.filter(({ guard }) => guard === 'card');
  return `which decides who may execute ${namesOf(full)}, with Full data access`;
}

const mostNames = 5;

function namesOf(functions: readonly Approved[]): string {
  const named = functions.slice(0, mostNames).map(({ name }) => `'${name}'`);
  const others = functions.length - named.length;
  return `the function${functions.length === 1 ? '' : 's'} ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
