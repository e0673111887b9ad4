import type { Rule } from '../condition/condition.js';
import {
  type ConditionScalar,
  matches,
  type Operand,
  type Operator,
  operandOf,
  ownValue,
} from '../condition/operators.js';
import { inLowerCase } from '../text/ascii-case.js';
import { isHeld } from './entitlement.js';
import type { Facts, PersonFacts, RowFacts } from './facts.js';
import type { Value } from './value.js';

export type RowRule = Extract<
  Rule,
  { type: 'creator' | 'field_match' | 'relationship' } | { type: 'email'; field: string }
>;

const verdictOf = (holds: boolean): Value => (holds ? 'allowed' : 'denied');

/** A visitor who is not signed in has no role and no property, not even an empty one. */
export function judgeRule(rule: Rule, operand: Operand, facts: Facts): Value {
  const { person } = facts;
  switch (rule.type) {
    case 'public':
      return verdictOf(rule.scope !== 'site' || facts.throughSite);
    case 'function':
      return answerOf(facts.functions?.get(rule.functionId));
    case 'authenticated':
      return verdictOf(person !== undefined);
    case 'has_role':
      return verdictOf(person?.roleIds.includes(rule.roleId) === true);
    case 'has_entitlement':
      return person === undefined ? 'denied' : holdsEntitlement(rule.key, person, facts.now);
    case 'user_property':
      if (person === undefined) return 'denied';
      return verdictOf(matches(rule.operator, ownValue(person.properties, rule.property), operand));
    case 'creator':
    case 'field_match':
    case 'relationship':
      return judgeOnRow(rule, facts);
    case 'email':
      if ('field' in rule) return judgeOnRow(rule, facts);
      return verdictOf(person !== undefined && matches(rule.operator, ownAddress(person, rule.operator), operand));
  }
}

/**
 * With eq, ne, in and nin, the operand is compared with the address and with its domain, e.g. `@example.com`. Other
 * operators compare it only with the address.
 */
function ownAddress({ email }: PersonFacts, operator: Operator): string | readonly string[] | undefined {
  const address = email?.toLowerCase();
  const at = address?.lastIndexOf('@') ?? -1;
  return address !== undefined && at > 0 && ofSame.has(operator) ? [address, address.slice(at)] : address;
}

const ofSame: ReadonlySet<Operator> = new Set(['eq', 'ne', 'in', 'nin']);

function judgeOnRow(rule: RowRule, { row, person }: Facts): Value {
  if (row === undefined) return 'fault';
  if (person === undefined) return 'denied';
  switch (rule.type) {
    case 'creator':
      return verdictOf(row.createdBy === person.id);
    case 'field_match': {
      const choices = operandOf(entriesOf(ownValue(person.properties, rule.property)));
      return verdictOf(matches('in', ownValue(row.fields, rule.field), choices));
    }
    case 'email':
      return verdictOf(holdsAddress(row, rule.field, person.email));
    case 'relationship': {
      const ends = row.related?.get(rule.path);
      return Array.isArray(ends) ? verdictOf(ends.includes(person.id)) : 'fault';
    }
  }
}

function answerOf(answer: boolean | 'failed' | undefined): Value {
  if (answer === undefined) return 'open';
  return typeof answer === 'boolean' ? verdictOf(answer) : 'fault';
}

function holdsEntitlement(key: string, person: PersonFacts, now: number): Value {
  let value: Value = 'denied';
  for (const one of person.entitlements) {
    if (one.key !== key) continue;
    const isActive = isHeld(one, now);
    if (isActive === true) return 'allowed';
    if (isActive === undefined) value = 'fault';
  }
  return value;
}

function holdsAddress(row: RowFacts, field: string, email: string | null): boolean {
  if (!email) return false;
  const own = inLowerCase(email);
  return entriesOf(ownValue(row.fields, field)).some((one) => typeof one === 'string' && inLowerCase(one) === own);
}

/** Empty values are omitted, because no two empty values are equal. */
export function entriesOf(value: unknown): readonly ConditionScalar[] {
  return (Array.isArray(value) ? value : [value]).filter(isSome);
}

const isSome = (value: unknown): value is ConditionScalar =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
