import { mustBe } from '../text/must-be.js';
import type { Comparison, PublicScope, Rule, RuleType } from './condition.js';
import { limits } from './limits.js';
import { type ConditionScalar, isOperator, operators, wrongOperand } from './operators.js';
import { pathWithin } from './path.js';

export type Wrong = (path: string, message: string) => void;

/**
 * A sent condition must be complete. A stored condition may lack members that an earlier version of the service did not
 * require.
 */
export type Origin = 'sent' | 'stored';

type Sent = Readonly<Record<string, unknown>>;

const readers: { readonly [Type in RuleType]: (members: Members) => Rule } = {
  public: (members) => ({ type: 'public', scope: members.scope() }),
  authenticated: () => ({ type: 'authenticated' }),
  has_role: (members) => ({ type: 'has_role', roleId: members.name('roleId') }),
  user_property: (members) => ({
    type: 'user_property',
    property: members.name('property'),
    ...members.comparison(),
  }),
  has_entitlement: (members) => ({ type: 'has_entitlement', key: members.name('key') }),
  function: (members) => ({ type: 'function', functionId: members.name('functionId') }),
  creator: () => ({ type: 'creator' }),
  field_match: (members) => ({
    type: 'field_match',
    field: members.name('field'),
    property: members.name('property'),
  }),
  relationship: (members) => ({ type: 'relationship', path: members.name('path') }),
  email: (members) =>
    members.has('field')
      ? { type: 'email', field: members.name('field') }
      : { type: 'email', ...members.comparison('eq') },
};

const scopeWords: Readonly<Record<string, PublicScope>> = {
  everywhere: 'everywhere',
  'Anyone, everywhere': 'everywhere',
  site: 'site',
  'Only through this site': 'site',
  internet: 'internet',
  'Anyone on the internet': 'internet',
};

const scopesToSend = 'everywhere, site (only through this site) or internet (anyone on the internet)';

/** Returns undefined if the type is unknown. The work is bounded by the number of members. */
export function readRule(sent: Sent, path: string, origin: Origin, wrong: Wrong): Rule | undefined {
  const { type } = sent;
  if (typeof type !== 'string' || !Object.hasOwn(readers, type)) {
    wrong(pathWithin(path, 'type'), `must be a rule type: ${Object.keys(readers).join(', ')}`);
    return undefined;
  }
  const members = new Members(sent, path, origin, wrong);
  const rule = readers[type as RuleType](members);
  members.nothingElse();
  return Object.freeze(rule);
}

class Members {
  private readonly known = ['type'];

  constructor(
    private readonly sent: Sent,
    private readonly path: string,
    private readonly origin: Origin,
    private readonly wrong: Wrong,
  ) {}

  has(key: string): boolean {
    return Object.hasOwn(this.sent, key);
  }

  name(key: string): string {
    const value = this.take(key);
    const problem = wrongRuleName(value);
    if (problem !== undefined) this.wrong(pathWithin(this.path, key), problem);
    return typeof value === 'string' ? value : '';
  }

  /** A scope was not always required. A rule stored without one gets the most restrictive scope. */
  scope(): PublicScope {
    const value = this.take('scope');
    if (value === undefined && this.origin === 'stored') return 'site';
    if (typeof value === 'string' && Object.hasOwn(scopeWords, value)) return scopeWords[value] ?? 'site';
    this.wrong(pathWithin(this.path, 'scope'), `must state the level: ${scopesToSend}`);
    return 'site';
  }

  comparison(otherwise?: 'eq'): Comparison {
    const sentOperator = this.take('operator');
    const operator = sentOperator === undefined ? otherwise : sentOperator;
    const value = this.take('value');
    if (!isOperator(operator)) {
      this.wrong(pathWithin(this.path, 'operator'), `must be an operator: ${operators.join(', ')}`);
      return { operator: 'eq' };
    }
    const problem = wrongOperand(operator, value);
    if (problem !== undefined) this.wrong(pathWithin(this.path, 'value'), problem);
    if (value === undefined) return { operator };
    return { operator, value: Array.isArray(value) ? Object.freeze([...value]) : (value as ConditionScalar) };
  }

  nothingElse(): void {
    const unknown = Object.keys(this.sent).filter((key) => !this.known.includes(key));
    for (const key of unknown.slice(0, limits.problems))
      this.wrong(pathWithin(this.path, key), 'is not a member of this rule');
  }

  private take(key: string): unknown {
    this.known.push(key);
    return this.has(key) ? this.sent[key] : undefined;
  }
}

export function wrongRuleName(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a text', value);
  if (value === '') return 'must not be empty';
  return value.length > limits.name ? `must be at most ${limits.name} characters` : undefined;
}
