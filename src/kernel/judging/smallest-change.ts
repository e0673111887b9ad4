import type { Rule } from '../condition/condition.js';
import { type JudgedPart, joinedValue } from './judged-tree.js';
import { opposite, type Value } from './value.js';

export interface Flip {
  readonly rule: Rule;
  readonly path: string;
  readonly from: Value;
  readonly to: 'allowed' | 'denied';
}

const mostSteps = 2_000_000;

/**
 * Finds the fewest rules whose outcomes would have to change to reverse the outcome of the condition: allowed becomes
 * denied, and any other outcome becomes allowed. Returns undefined if there is no such set, or if the search would take
 * too long, which happens only with many repeated rules.
 */
export function smallestChange(root: JudgedPart): readonly Flip[] | undefined {
  const target = root.outcome === 'allowed' ? 'denied' : 'allowed';
  const leaves = new Leaves(root);
  const planned = leaves.planned(target);
  // Without repeated rules, no plan has fewer changes than `planned`.
  if (!leaves.hasRepeated) return leaves.flips(planned);
  const plan = leaves.holds(planned, target) ? planned : undefined;
  const found = leaves.searched(target, plan === undefined ? leaves.count : plan.size - 1);
  const best = found ?? plan;
  return best && leaves.flips(best);
}

type To = 'allowed' | 'denied';

type Plan = ReadonlyMap<number, To>;

/** Fewest changes that make a node allowed, denied, or free of faults. A rule that appears twice counts twice. */
interface Cost {
  readonly allowed: number;
  readonly denied: number;
  readonly sound: number;
}

interface Leaf {
  readonly path: string;
  readonly rule: Rule;
  readonly outcome: Value;
}

class Leaves {
  private readonly numbers = new Map<JudgedPart, number>();
  private readonly rules: Leaf[] = [];
  private readonly costs = new Map<JudgedPart, Cost>();
  private appearances = 0;
  private parts = 0;
  private steps = 0;

  constructor(private readonly root: JudgedPart) {
    this.enter(root, new Map());
  }

  get count(): number {
    return this.rules.length;
  }

  get hasRepeated(): boolean {
    return this.appearances > this.rules.length;
  }

  planned(to: To): Plan {
    const plan = new Map<number, To>();
    this.plan(this.root, to, plan);
    return plan;
  }

  holds(plan: Plan, target: To): boolean {
    this.steps += this.parts;
    return this.outcome(this.root, plan) === target;
  }

  flips(plan: Plan): readonly Flip[] {
    return [...plan]
      .sort(([one], [other]) => one - other)
      .flatMap(([number, to]) => {
        const leaf = this.rules[number];
        return leaf === undefined ? [] : [{ rule: leaf.rule, path: leaf.path, from: leaf.outcome, to }];
      });
  }

  searched(target: To, most: number): Plan | undefined {
    const must = this.rules.flatMap(({ outcome }, number) => (outcome === 'fault' ? [number] : []));
    for (let size = Math.max(1, must.length); size <= most; size += 1) {
      const found = this.choose(target, new Map(), 0, size);
      if (found !== undefined) return found;
      if (this.steps > mostSteps) return undefined;
    }
    return undefined;
  }

  private choose(target: To, plan: Map<number, To>, from: number, left: number): Plan | undefined {
    if (left === 0) return this.holds(plan, target) ? new Map(plan) : undefined;
    for (let number = from; number <= this.rules.length - left; number += 1) {
      if (this.steps > mostSteps) return undefined;
      for (const to of choicesOf(this.rules[number]?.outcome)) {
        plan.set(number, to);
        const found = this.choose(target, plan, number + 1, left - 1);
        if (found !== undefined) return found;
      }
      plan.delete(number);
    }
    return undefined;
  }

  private enter(part: JudgedPart, known: Map<string, number>): void {
    this.parts += 1;
    if (part.kind !== 'rule') {
      for (const one of part.parts) this.enter(one, known);
      return;
    }
    this.appearances += 1;
    const key = JSON.stringify(part.rule);
    const number = known.get(key) ?? this.rules.length;
    this.numbers.set(part, number);
    if (known.has(key)) return;
    known.set(key, number);
    this.rules.push(part);
  }

  private numberOf(part: JudgedPart): number {
    return this.numbers.get(part) ?? -1;
  }

  private outcome(part: JudgedPart, plan: Plan): Value {
    switch (part.kind) {
      case 'rule':
        return plan.get(this.numberOf(part)) ?? part.outcome;
      case 'not':
        return opposite[this.outcome(first(part.parts), plan)];
      case 'policy':
        return this.outcome(first(part.parts), plan);
      case 'all':
      case 'any':
      case 'list':
        return joinedValue(
          part.kind,
          part.parts.map((one) => this.outcome(one, plan)),
        );
    }
  }

  private costOf(part: JudgedPart): Cost {
    const known = this.costs.get(part);
    if (known !== undefined) return known;
    const cost = this.counted(part);
    this.costs.set(part, cost);
    return cost;
  }

  private counted(part: JudgedPart): Cost {
    switch (part.kind) {
      case 'rule': {
        const { outcome } = part;
        return {
          allowed: outcome === 'allowed' ? 0 : 1,
          denied: outcome === 'denied' ? 0 : 1,
          sound: outcome === 'fault' ? 1 : 0,
        };
      }
      case 'policy':
        return this.costOf(first(part.parts));
      case 'not': {
        const { allowed, denied, sound } = this.costOf(first(part.parts));
        return { allowed: denied, denied: allowed, sound };
      }
      case 'all': {
        const { each, one, sound } = this.ofParts(part.parts, 'allowed', 'denied');
        return { allowed: each, denied: one, sound };
      }
      case 'any':
      case 'list': {
        const { each, one, sound } = this.ofParts(part.parts, 'denied', 'allowed');
        return { denied: each, allowed: one, sound };
      }
    }
  }

  /**
   * `every` is the outcome that each part needs; `either` is the outcome that one part needs while the others are free
   * of faults.
   */
  private ofParts(parts: readonly JudgedPart[], every: To, either: To) {
    const costs = parts.map((one) => this.costOf(one));
    const sum = (key: keyof Cost) => costs.reduce((total, cost) => total + cost[key], 0);
    const sound = sum('sound');
    const one = sound + Math.min(...costs.map((cost) => cost[either] - cost.sound));
    return { each: sum(every), one, sound };
  }

  private plan(part: JudgedPart, to: To | 'sound', plan: Map<number, To>): void {
    switch (part.kind) {
      case 'rule':
        if (to === 'sound' && part.outcome === 'fault') plan.set(this.numberOf(part), 'allowed');
        if (to !== 'sound' && part.outcome !== to) plan.set(this.numberOf(part), to);
        break;
      case 'policy':
        this.plan(first(part.parts), to, plan);
        break;
      case 'not':
        this.plan(first(part.parts), to === 'sound' ? to : to === 'allowed' ? 'denied' : 'allowed', plan);
        break;
      case 'all':
      case 'any':
      case 'list': {
        const every = part.kind === 'all' ? 'allowed' : 'denied';
        if (to === 'sound' || to === every) {
          for (const one of part.parts) this.plan(one, to, plan);
          break;
        }
        const cheapest = part.parts.reduce((best, one) => (this.extra(one, to) < this.extra(best, to) ? one : best));
        for (const one of part.parts) this.plan(one, one === cheapest ? to : 'sound', plan);
      }
    }
  }

  private extra(part: JudgedPart, to: To): number {
    const cost = this.costOf(part);
    return cost[to] - cost.sound;
  }
}

function choicesOf(outcome: Value | undefined): readonly To[] {
  switch (outcome) {
    case 'allowed':
      return ['denied'];
    case 'denied':
      return ['allowed'];
    case 'open':
    case 'fault':
    case undefined:
      return ['allowed', 'denied'];
  }
}

function first(parts: readonly JudgedPart[]): JudgedPart {
  const [only] = parts;
  if (only === undefined) throw new Error('A part must contain another part, but has none.');
  return only;
}
