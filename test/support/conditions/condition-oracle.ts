import type { Policies } from '../../../src/kernel/condition/condition.js';
import type { EntitlementFacts, Facts } from '../../../src/kernel/judging/facts.js';

/**
 * Computes the expected outcome of a small condition in the simplest way, without code of the evaluator: it replaces
 * references by their policies, looks for anything invalid, and only then evaluates each rule.
 */
export type Outcome = 'allowed' | 'denied' | 'open' | 'fault';

type Loose = Readonly<Record<string, unknown>>;

export function expectedOutcome(condition: unknown, facts: Facts, policies: Policies): Outcome {
  if (condition === undefined || condition === null) return 'denied';
  if (Array.isArray(condition) && condition.length === 0) return 'denied';
  const whole = inPlaces(condition, policies, []);
  return isWrong(whole, facts.place) ? 'fault' : outcomeOf(whole, facts);
}

const wrong = { type: 'wrong' };
const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 200;
const keysOf = (value: Loose) => Object.keys(value).sort().join(' ');

function inPlaces(condition: unknown, policies: Policies, around: readonly string[]): unknown {
  if (Array.isArray(condition)) {
    const isFlat = condition.every(
      (one) => isObject(one) && (Object.hasOwn(one, 'type') || Object.hasOwn(one, 'policy')),
    );
    return isFlat ? { any: condition.map((one) => inPlaces(one, policies, around)) } : wrong;
  }
  if (!isObject(condition)) return wrong;
  if (Object.hasOwn(condition, 'type')) return condition;
  switch (keysOf(condition)) {
    case 'policy': {
      const id = condition['policy'];
      const found = isText(id) && !around.includes(id) && around.length < 16 ? policies(id) : undefined;
      return found === undefined ? wrong : inPlaces(found.condition, policies, [...around, String(id)]);
    }
    case 'not':
      return { not: inPlaces(condition['not'], policies, around) };
    case 'all':
    case 'any': {
      const [key, parts] = Object.entries(condition)[0] ?? [];
      return Array.isArray(parts) ? { [String(key)]: parts.map((one) => inPlaces(one, policies, around)) } : wrong;
    }
  }
  return wrong;
}

function isWrong(condition: unknown, place: Facts['place']): boolean {
  if (!isObject(condition)) return true;
  if ('not' in condition) return isWrong(condition['not'], place);
  const parts = (condition['all'] ?? condition['any']) as readonly unknown[] | undefined;
  if (parts !== undefined && !Object.hasOwn(condition, 'type'))
    return parts.length === 0 || parts.some((one) => isWrong(one, place));
  return isWrongRule(condition) || !standsHere(condition, place);
}

function isWrongRule(rule: Loose): boolean {
  const { type, ...rest } = rule;
  const keys = keysOf(rest);
  switch (type) {
    case 'public':
      return keys !== '' && (keys !== 'scope' || levelOf(rule) === undefined);
    case 'authenticated':
    case 'creator':
      return keys !== '';
    case 'has_role':
      return keys !== 'roleId' || !isText(rule['roleId']);
    case 'has_entitlement':
      return keys !== 'key' || !isText(rule['key']);
    case 'function':
      return keys !== 'functionId' || !isText(rule['functionId']);
    case 'relationship':
      return keys !== 'path' || !isText(rule['path']);
    case 'field_match':
      return keys !== 'field property' || !isText(rule['field']) || !isText(rule['property']);
    case 'user_property': {
      const { property, ...comparison } = rest;
      return !isText(property) || isWrongComparison(comparison);
    }
    case 'email':
      if ('field' in rule) return keys !== 'field' || !isText(rule['field']);
      return isWrongComparison('operator' in rest ? rest : { ...rest, operator: 'eq' });
  }
  return true;
}

function isWrongComparison(comparison: Loose): boolean {
  const { operator, value, ...more } = comparison;
  const isScalar = (one: unknown) => ['string', 'number', 'boolean'].includes(typeof one) && !Number.isNaN(one);
  if (Object.keys(more).length > 0) return true;
  if (operator === 'isEmpty' || operator === 'isNotEmpty') return value !== undefined;
  if (operator === 'in' || operator === 'nin')
    return !Array.isArray(value) || value.length === 0 || !value.every(isScalar);
  if (operator === 'eq' || operator === 'ne') return !isScalar(value);
  if (operator === 'contains') return !isScalar(value) || value === '';
  if (['gt', 'gte', 'lt', 'lte'].includes(String(operator))) return !['string', 'number'].includes(typeof value);
  return true;
}

function standsHere(rule: Loose, place: Facts['place']): boolean {
  const type = String(rule['type']);
  const isRow = ['creator', 'field_match', 'relationship'].includes(type) || (type === 'email' && 'field' in rule);
  const isOwnAddress = type === 'email' && !('field' in rule);
  const isAboutTheCaller = ['authenticated', 'has_role', 'user_property', 'has_entitlement'].includes(type);
  if (place === 'audience') return isAboutTheCaller || isOwnAddress;
  if (isOwnAddress) return false;
  if (place === 'env-var') return isAboutTheCaller || type === 'public';
  if (place === 'page') return type !== 'function' && !isRow;
  if (place === 'account-function') return !isRow && levelOf(rule) !== 'everywhere';
  return place === 'row' || !isRow;
}

function levelOf(rule: Loose): string | undefined {
  const { scope } = rule;
  if (scope === 'everywhere' || scope === 'Anyone, everywhere') return 'everywhere';
  if (scope === 'internet' || scope === 'Anyone on the internet') return 'internet';
  return scope === 'site' || scope === 'Only through this site' ? 'site' : undefined;
}

function outcomeOf(condition: unknown, facts: Facts): Outcome {
  if (!isObject(condition)) return 'fault';
  if ('not' in condition) {
    const inner = outcomeOf(condition['not'], facts);
    return inner === 'allowed' ? 'denied' : inner === 'denied' ? 'allowed' : inner;
  }
  const isAll = Array.isArray(condition['all']);
  if (!isAll && !Array.isArray(condition['any'])) return ruleOutcome(condition, facts);
  const outcomes = ((condition['all'] ?? condition['any']) as unknown[]).map((one) => outcomeOf(one, facts));
  const [decisive, otherwise]: readonly Outcome[] = isAll ? ['denied', 'allowed'] : ['allowed', 'denied'];
  return (['fault', decisive, 'open'] as const).find((one) => one && outcomes.includes(one)) ?? otherwise ?? 'fault';
}

function ruleOutcome(rule: Loose, facts: Facts): Outcome {
  const { person, row } = facts;
  const said = (holds: boolean): Outcome => (holds ? 'allowed' : 'denied');
  const text = (key: string) => String(rule[key]);
  switch (rule['type']) {
    case 'public':
      return said((levelOf(rule) ?? 'site') !== 'site' || facts.throughSite);
    case 'function': {
      const answer = facts.functions?.get(text('functionId'));
      return answer === undefined ? 'open' : answer === 'failed' ? 'fault' : said(answer);
    }
    case 'creator':
    case 'field_match':
    case 'relationship':
      if (row === undefined) return 'fault';
      break;
    case 'email':
      if ('field' in rule && row === undefined) return 'fault';
  }
  if (person === undefined) return 'denied';
  const own = (key: string) => (Object.hasOwn(person.properties, key) ? person.properties[key] : undefined);
  const ofRow = (key: string) => (row && Object.hasOwn(row.fields, key) ? row.fields[key] : undefined);
  switch (rule['type']) {
    case 'authenticated':
      return 'allowed';
    case 'has_role':
      return said(person.roleIds.includes(text('roleId')));
    case 'has_entitlement': {
      const held = person.entitlements.filter(({ key }) => key === rule['key']).map((one) => holds(one, facts.now));
      return held.includes('allowed') ? 'allowed' : held.includes('fault') ? 'fault' : 'denied';
    }
    case 'user_property':
      return said(compares(text('operator'), own(text('property')), rule['value']));
    case 'creator':
      return said(row?.createdBy === person.id);
    case 'field_match': {
      const entries = (value: unknown) => (Array.isArray(value) ? value : [value]).filter((one) => one !== '');
      const pairs = entries(ofRow(text('field'))).flatMap((a) => entries(own(text('property'))).map((b) => [a, b]));
      return said(pairs.some(([a, b]) => same(a, b)));
    }
    case 'relationship': {
      const ends = row?.related?.get(text('path'));
      return ends === undefined ? 'fault' : said(ends.includes(person.id));
    }
    case 'email': {
      const address = person.email?.toLowerCase();
      const lower = (value: unknown): unknown =>
        typeof value === 'string' ? value.toLowerCase() : Array.isArray(value) ? value.map(lower) : value;
      if (!('field' in rule)) {
        const operator = String(rule['operator'] ?? 'eq');
        const at = address?.lastIndexOf('@') ?? -1;
        const isBoth = at > 0 && ['eq', 'ne', 'in', 'nin'].includes(operator);
        return said(compares(operator, isBoth ? [address, address?.slice(at)] : address, lower(rule['value'])));
      }
      const addresses = lower([ofRow(text('field'))].flat()) as unknown[];
      return said(address !== undefined && address !== '' && addresses.includes(address));
    }
  }
  return 'fault';
}

function holds({ state, expiresAt, graceUntil }: EntitlementFacts, now: number): Outcome {
  const before = (end: string | null): Outcome => {
    if (end === null) return 'denied';
    const at = dateOf(end);
    return at === undefined ? 'fault' : now < at ? 'allowed' : 'denied';
  };
  if (state === 'revoked') return 'denied';
  if (state === 'suspended') return before(graceUntil);
  if (expiresAt === null) return 'allowed';
  return before(expiresAt) === 'denied' ? before(graceUntil) : before(expiresAt);
}

function compares(operator: string, value: unknown, operand: unknown): boolean {
  const isThere = value !== undefined && value !== null;
  const isEmpty = !isThere || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
  const isIn = (choices: readonly unknown[]) =>
    [value].flat().some((one) => choices.some((choice) => same(one, choice)));
  if (operator === 'isEmpty') return isEmpty;
  if (operator === 'isNotEmpty') return !isEmpty;
  if (!isThere) return operator === 'ne' || operator === 'nin';
  if (operator === 'eq') return isIn([operand]);
  if (operator === 'ne') return !isIn([operand]);
  if (operator === 'in') return isIn(operand as unknown[]);
  if (operator === 'nin') return !isIn(operand as unknown[]);
  if (operator === 'contains')
    return Array.isArray(value)
      ? isIn([operand])
      : typeof value === 'string' && typeof operand === 'string' && value.split(operand).length > 1;
  const [left, right] = ordered(value, operand);
  if (left === undefined || right === undefined) return false;
  if (operator === 'gt') return left > right;
  if (operator === 'gte') return left >= right;
  return operator === 'lt' ? left < right : left <= right;
}

function ordered(value: unknown, operand: unknown): readonly (string | number | undefined)[] {
  if (typeof value === 'number' && typeof operand === 'number') return [value, operand];
  if (typeof value !== 'string' || typeof operand !== 'string') return [];
  return dateOf(operand) === undefined ? [value, operand] : [dateOf(value), dateOf(operand)];
}

function same(left: unknown, right: unknown): boolean {
  if (!['string', 'number', 'boolean'].includes(typeof left)) return false;
  if (left === right) return true;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  return dateOf(left) !== undefined && dateOf(left) === dateOf(right);
}

/** Parses only the dates that the arbitraries generate. */
function dateOf(text: string): number | undefined {
  const [, day, time = 'T00:00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  if (day === undefined || (text.length > 10 && text.length < 20)) return undefined;
  const midnight = new Date(`${day}T00:00:00Z`);
  return midnight.toISOString().startsWith(day) ? Date.parse(`${day}${time}${zone}`) : undefined;
}
