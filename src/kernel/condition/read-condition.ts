import type { Comparison, Condition, ConditionProblem } from './condition.js';
import { limits } from './limits.js';
import { type ConditionScalar, operandOf, ownValue } from './operators.js';
import { pathWithin } from './path.js';
import { kindOf, type RuleKind } from './places.js';
import { type Origin, readRule, wrongRuleName } from './read-rule.js';
import type { ConditionReading, Part, Reference } from './reading.js';

const readings = new WeakMap<object, ConditionReading>();

/** Accepts any JSON. Never throws, and stops at the size limits. */
export function readCondition(sent: unknown, origin: Origin): ConditionReading {
  return new Reader(origin).read(sent);
}

/** The result is cached by object identity, so the object must not be changed afterwards. */
export function readStored(stored: unknown): ConditionReading {
  if (typeof stored !== 'object' || stored === null) return readCondition(stored, 'stored');
  const known = readings.get(stored);
  if (known !== undefined) return known;
  const reading = readCondition(stored, 'stored');
  readings.set(stored, reading);
  return reading;
}

export const tooManyGroups = `must have at most ${limits.innerGroups} groups inside groups`;

type Form = 'type' | 'policy' | 'all' | 'any' | 'not';
const forms: readonly Form[] = ['type', 'policy', 'all', 'any', 'not'];
const nothing: Part = { kind: 'list', parts: [], written: Object.freeze([]) };
const expectedForm =
  'must be a rule with its type, a list of rules, a group { all }, { any } or { not }, or { policy }';

class Reader {
  private readonly problems: ConditionProblem[] = [];
  private readonly kinds = new Map<RuleKind, string>();
  private readonly references: Reference[] = [];
  private parts = 0;
  private valueCharacters = 0;
  private groups = 0;
  private innerGroups = 0;

  constructor(private readonly origin: Origin) {}

  read(sent: unknown): ConditionReading {
    const root = Array.isArray(sent) && sent.length === 0 ? undefined : this.part(sent, '', false);
    if (this.problems.length > 0) return { ok: false, problems: this.problems };
    const condition = root?.written ?? Object.freeze([]);
    const { kinds, references, parts, valueCharacters, groups, innerGroups } = this;
    const characters = JSON.stringify(condition).length;
    return {
      ok: true,
      root,
      condition,
      characters,
      kinds,
      references,
      parts,
      valueCharacters,
      groups,
      innerGroups,
    };
  }

  private readonly wrong = (path: string, message: string): Part => {
    if (this.problems.length < limits.problems) this.problems.push({ path, message });
    return nothing;
  };

  private get isHopeless(): boolean {
    const isOver = this.parts > limits.parts || this.innerGroups > limits.innerGroups;
    return isOver || this.problems.length >= limits.problems;
  }

  private part(sent: unknown, path: string, inGroup: boolean): Part {
    this.parts += 1;
    if (this.parts > limits.parts) return this.wrong('', `must have at most ${limits.parts} parts`);
    if (Array.isArray(sent)) return this.list(sent, path, inGroup);
    if (typeof sent !== 'object' || sent === null) return this.wrong(path, expectedForm);
    const form = forms.find((key) => Object.hasOwn(sent, key));
    if (form === undefined) return this.wrong(path, expectedForm);
    if (form === 'type') return this.rule(sent as Readonly<Record<string, unknown>>, path);
    const other = Object.keys(sent).find((key) => key !== form);
    if (other !== undefined) return this.wrong(pathWithin(path, other), `must not be combined with ${form}`);
    const inner = ownValue(sent, form);
    const at = pathWithin(path, form);
    switch (form) {
      case 'policy':
        return this.policy(inner, at, inGroup);
      case 'not':
        return this.not(inner, at, inGroup);
      case 'all':
      case 'any':
        return this.group(form, inner, at, inGroup);
    }
  }

  private rule(sent: Readonly<Record<string, unknown>>, path: string): Part {
    const before = this.problems.length;
    const rule = readRule(sent, path, this.origin, this.wrong);
    if (rule === undefined || this.problems.length > before) return nothing;
    const value = 'value' in rule ? rule.value : undefined;
    const characters = value === undefined ? 0 : JSON.stringify(value).length;
    // Only `value` can make a rule large. The whole rule is therefore serialised only if the value alone exceeds half
    // of the limit.
    if (characters > limits.ruleCharacters / 2 && JSON.stringify(rule).length > limits.ruleCharacters)
      return this.wrong(path, `must be at most ${limits.ruleCharacters} characters`);
    this.valueCharacters += characters;
    const kind = kindOf(rule);
    if (!this.kinds.has(kind)) this.kinds.set(kind, path);
    return {
      kind: 'rule',
      rule,
      operand: operandOf(rule.type === 'email' ? withoutCase(value) : value),
      written: rule,
    };
  }

  private policy(id: unknown, path: string, inGroup: boolean): Part {
    const problem = wrongRuleName(id);
    if (problem !== undefined || typeof id !== 'string') return this.wrong(path, problem ?? expectedForm);
    this.references.push({ id, path, inGroup });
    return { kind: 'policy', id, written: Object.freeze({ policy: id }) };
  }

  private not(sent: unknown, path: string, inGroup: boolean): Part {
    if (!this.hasRoom(path, inGroup)) return nothing;
    const part = this.part(sent, path, true);
    return { kind: 'not', part, written: Object.freeze({ not: part.written }) };
  }

  private group(kind: 'all' | 'any', sent: unknown, path: string, inGroup: boolean): Part {
    if (!this.hasRoom(path, inGroup)) return nothing;
    if (!Array.isArray(sent)) return this.wrong(path, 'must be a list of conditions');
    const parts = this.each(sent, path, (one, at) => this.part(one, at, true));
    const written = Object.freeze(parts.map((part) => part.written));
    return { kind, parts, written: Object.freeze(kind === 'all' ? { all: written } : { any: written }) };
  }

  private list(sent: readonly unknown[], path: string, inGroup: boolean): Part {
    const parts = this.each(sent, path, (one, at) =>
      isGroup(one)
        ? this.wrong(at, 'must be a rule or { policy }: a list is flat; use { any: […] } for groups')
        : this.part(one, at, inGroup),
    );
    return { kind: 'list', parts, written: Object.freeze(parts.map((part) => part.written)) as Condition };
  }

  private each(sent: readonly unknown[], path: string, read: (one: unknown, path: string) => Part): readonly Part[] {
    if (sent.length === 0) this.wrong(path, 'must not be empty');
    const parts: Part[] = [];
    for (const [index, one] of sent.entries()) {
      if (this.isHopeless) break;
      parts.push(read(one, `${path}[${index}]`));
    }
    return parts;
  }

  private hasRoom(path: string, inGroup: boolean): boolean {
    this.groups += 1;
    if (inGroup) this.innerGroups += 1;
    if (this.innerGroups <= limits.innerGroups) return true;
    this.wrong(path, tooManyGroups);
    return false;
  }
}

const isGroup = (sent: unknown) =>
  typeof sent === 'object' && sent !== null && !Object.hasOwn(sent, 'type') && !Object.hasOwn(sent, 'policy');

function withoutCase(value: Comparison['value']): Comparison['value'] {
  const lower = (one: ConditionScalar) => (typeof one === 'string' ? one.toLowerCase() : one);
  return typeof value === 'object' ? value.map(lower) : value && lower(value);
}
