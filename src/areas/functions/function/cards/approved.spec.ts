import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { facts, person, policies } from '../../../../../test/support/conditions/condition-facts.js';
import { runs } from '../../../../../test/support/depth.js';
import { recorded, specActor } from '../../../../../test/support/given/given.js';
import { ownText } from '../../../../../test/support/given/own-text.js';
import { isPersons } from '../../../../kernel/callers/caller.js';
import { reachOf } from '../../../../kernel/condition/reach.js';
import type { DomainEvent } from '../../../../kernel/event/event.js';
import type { Json } from '../../../../kernel/json/json.js';
import { judge } from '../../../../kernel/judging/judge.js';
import { Refusal } from '../../../../kernel/refusals/refusal.js';
import { deletePolicy, type PolicyCard, policyUpdated, updatePolicy } from '../../../access/policy/access-policy.js';
import { type AccessPolicies, accessPolicies, policiesOf } from '../../../access/policy/access-policy.record.js';
import { ledFrom } from '../../../access/policy/led-from.api.js';
import { createFunction, deleteFunction, wholeGrants } from '../function.js';
import { definitionOf, type FunctionDefinition, type FunctionDocument, siteFunctions } from '../function.record.js';
import { type FunctionOutcome, publish, rollBackFunction } from '../function-changes.js';
import { updateFunction } from '../function-save.js';
import { setFunctionRules } from '../rights/function-rules.js';
import { applyChange } from './apply-change.js';
import { guardedAmong, guardOf } from './approved.api.js';

const functionIds = ['full', 'mail', 'plain', 'gate', 'fullGate'];
const policyIds = ['p', 'q', 'r'];
const powers: Readonly<Record<string, readonly string[]>> = {
  full: ['service'],
  mail: ['email'],
  fullGate: ['service'],
};
const codes = ['return true', 'return false', 'return user !== null'] as const;
const site = { functions: new Set(functionIds), roles: new Set(['staff']), conditions: [] };

const rule = fc.oneof(
  fc.constantFrom(
    { type: 'public', scope: 'internet' },
    { type: 'authenticated' },
    { type: 'has_role', roleId: 'staff' },
  ),
  fc.constantFrom(...policyIds).map((policy) => ({ policy })),
  fc.constantFrom('gate', 'fullGate').map((functionId) => ({ type: 'function', functionId })),
);
const condition: fc.Arbitrary<unknown> = fc.letrec<{ one: unknown }>((tie) => ({
  one: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    rule,
    tie('one').map((not) => ({ not })),
    fc.array(tie('one'), { minLength: 1, maxLength: 2 }).map((all) => ({ all })),
    fc.array(tie('one'), { minLength: 1, maxLength: 2 }).map((any) => ({ any })),
  ),
})).one;
const runBy = fc.record({
  pages: fc.constantFrom('any' as const, []),
  functions: fc.constant([]),
  agents: fc.constantFrom('any' as const, []),
});
const accessRules = fc.record({ execute: condition as fc.Arbitrary<Json>, runBy });
const save = fc.record({ code: fc.constantFrom(...codes), isActive: fc.boolean(), accessRules }, { requiredKeys: [] });
const by = fc
  .constantFrom('person', 'connection', 'agent', 'automation', 'flow', 'function')
  .map((kind) => ({ ...specActor, kind }) as const);
const fn = fc.constantFrom(...functionIds);
const policy = fc.constantFrom(...policyIds);
const change = fc.oneof(
  fc.record({ kind: fc.constant('policy' as const), id: policy, condition }),
  fc.record({ kind: fc.constant('policy deleted' as const), id: policy }),
  fc.record({ kind: fc.constant('save' as const), id: fn, input: save, versions: fc.boolean() }),
  fc.record({ kind: fc.constant('rules' as const), id: fn, accessRules }),
  fc.record({ kind: fc.constant('publish' as const), id: fn }),
  fc.record({ kind: fc.constant('roll back' as const), id: fn, nth: fc.nat(5) }),
  fc.record({ kind: fc.constant('function deleted' as const), id: fn }),
);
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;
const step = fc.record({ by, change, isMaker: fc.constant(false), approves: fc.boolean() });
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
const inTwo = fc
  .record({ first: step, second: step, code: fc.constantFrom(...codes), publishes: fc.boolean() })
  .map(({ first, second, code, publishes }): readonly Step[] => [
    { ...first, change: { kind: 'save', id: 'gate', input: { code }, versions: publishes } },
    { ...second, change: publishes ? { kind: 'publish', id: 'gate' } : { kind: 'roll back', id: 'gate', nth: 0 } },
  ]);
const steps = fc
  .array(fc.oneof({ weight: 3, arbitrary: step.map((one) => [one]) }, inTwo), { minLength: 1, maxLength: 6 })
  .map((all) => all.flat());

class Site {
  private all: AccessPolicies | undefined;
  private readonly functions = new Map<string, FunctionDocument>();
  private readonly wereLive = new Map<string, FunctionDefinition>();
  private versions = 0;

  constructor(conditions: readonly unknown[], rules: readonly { execute: Json; runBy: object }[]) {
    this.toPolicies([{ type: 'AccessPoliciesBegun', data: { projectId: 'site' } }]);
    for (const [at, id] of policyIds.entries()) {
      const data = { policyId: id, name: id, description: null, color: null, condition: conditions[at] };
      this.toPolicies([{ type: 'AccessPolicyCreated', data }]);
    }
    for (const [at, id] of functionIds.entries()) {
      const [created] = createFunction({ name: id, code: 'return false' }, undefined, `${id}/0`);
      const made = { ...created?.data, projectId: 'site', accessRules: rules[at] };
      const given = { type: 'FunctionPowersGiven', data: { powers: powers[id] ?? [] } };
      this.toFunction(id, [{ type: 'FunctionCreated', data: made }, { type: 'FunctionActivated', data: {} }, given]);
    }
  }

  take({ by, change, isMaker, approves }: Step): 'done' | 'applied' | 'waits' {
    const { id } = change;
    const outcome = this.decided(change, by, isMaker);
    const isPolicy = change.kind === 'policy' || change.kind === 'policy deleted';
    const to = (events: readonly DomainEvent[]) => (isPolicy ? this.toPolicies(events) : this.toFunction(id, events));
    to(outcome.events);
    if (outcome.proposal === undefined) return 'done';
    if (!approves) return 'waits';
    const { kind, input } = outcome.proposal;
    const { changed } = input as unknown as PolicyCard;
    const around = { versionId: this.versionId(id), known: undefined, read: ownText };
    to(
      isPolicy
        ? policyUpdated(this.all, id, changed, site)
        : applyChange(this.fn(id), { kind, input, base: '', targetId: id }, around),
    );
    return 'applied';
  }

  private decided(
    change: Change,
    actor: Step['by'],
    isMaker: boolean,
  ): Pick<FunctionOutcome, 'events'> & {
    readonly proposal?: { readonly kind: string; readonly input: never };
  } {
    const { id } = change;
    const approved = guardedAmong([...this.functions.values()]);
    const led = ledFrom({ kind: 'gate', id }, approved, this.policies);
    const around = { by: actor, led, taking: { undoId: 'undo', now: 0 } };
    const decide = (): unknown => {
      switch (change.kind) {
        case 'policy':
          return updatePolicy(this.all, id, { condition: change.condition }, { ...site, by: actor, guarded: approved });
        case 'policy deleted':
          return { events: deletePolicy(this.all, id) };
        case 'save': {
          const known = { ...site, policies: this.policies };
          const saving = { ...around, versions: change.versions, isMaker, known, own: wholeGrants({}) };
          return updateFunction(this.fn(id), change.input, { ...saving, versionId: this.versionId(id) }, ownText);
        }
        case 'rules':
          return setFunctionRules(this.fn(id), change.accessRules, actor, isMaker);
        case 'publish': {
          mustBePerson(actor);
          const { draft } = this.fn(id);
          return draft === null ? { events: [] } : publish(this.fn(id), draft.versionId, around);
        }
        case 'roll back': {
          mustBePerson(actor);
          const found = this.fn(id).versions.filter(({ state, wasLive }) => state === 'archived' && wasLive);
          const version = found[change.nth % Math.max(1, found.length)]?.id;
          if (version === undefined) return { events: [] };
          return rollBackFunction(this.fn(id), version, this.wereLive.get(version), { led });
        }
        case 'function deleted':
          return { events: deleteFunction() };
      }
    };
    return decide() as ReturnType<Site['decided']>;
  }

  get letsIn(): ReadonlyMap<string, { readonly guard: string; readonly who: ReadonlySet<string> }> {
    const answers = (isSignedIn: boolean) =>
      new Map<string, boolean | 'failed'>(
        functionIds.map((id) => {
          const gate = this.functions.get(id);
          if (gate === undefined || !gate.isActive) return [id, 'failed'] as const;
          return [id, gate.code === 'return true' || (gate.code === codes[2] && isSignedIn)] as const;
        }),
      );
    const visitors = {
      anybody: facts({ place: 'function', functions: answers(false) }),
      user: facts({ place: 'function', functions: answers(true), person: person() }),
      staff: facts({ place: 'function', functions: answers(true), person: person({ roleIds: ['staff'] }) }),
    };
    const who = ({ accessRules: { execute, runBy: starts } }: FunctionDocument) => [
      ...Object.entries(visitors).flatMap(([name, one]) =>
        judge(execute, one, this.policies).isAllowed ? [name] : [],
      ),
      ...(starts?.pages === 'any' ? ['pages'] : []),
      ...(starts?.agents === 'any' ? ['agents'] : []),
    ];
    return new Map(
      [...this.functions].map(([id, one]) => [id, { guard: guardOf(one), who: new Set(who(one)) }] as const),
    );
  }

  private get policies() {
    return policiesOf(this.all ?? accessPolicies.missing());
  }

  private fn(id: string): FunctionDocument {
    return this.functions.get(id) ?? siteFunctions.missing();
  }

  private versionId(id: string): string {
    this.versions += 1;
    return `${id}/${this.versions}`;
  }

  private toPolicies(events: readonly DomainEvent[]): void {
    for (const event of events) this.all = accessPolicies.evolve(this.all, recorded('accessPolicies', event) as never);
  }

  private toFunction(id: string, events: readonly DomainEvent[]): void {
    for (const event of events) {
      const after = siteFunctions.evolve(this.functions.get(id), recorded('siteFunction', event) as never);
      if (after === undefined) this.functions.delete(id);
      else {
        this.functions.set(id, after);
        this.wereLive.set(after.liveVersionId, definitionOf(after));
      }
    }
  }
}

function mustBePerson({ kind }: Step['by']): void {
  if (!isPersons(kind)) siteFunctions.missing();
}

describe('an approved function', () => {
  test('property: cannot be opened further by a machine, and with Full data access only by an approved card', () => {
    const seen = { refused: 0, waits: 0, 'by a card': 0, 'by a person': 0, 'from the side': 0, narrower: 0 };
    const sites = fc.tuple(
      fc.array(condition, { minLength: 3, maxLength: 3 }),
      fc.array(accessRules, { minLength: 5, maxLength: 5 }),
    );
    fc.assert(
      fc.property(sites, steps, ([conditions, rules], all) => {
        const of = new Site(conditions, rules);
        for (const one of all) {
          const before = of.letsIn;
          const done = taken(of, one);
          if (done === 'refused' || done === 'waits') seen[done] += 1;
          for (const [id, { guard, who }] of of.letsIn) {
            const had = before.get(id)?.who ?? new Set();
            const more = [...who].filter((name) => !had.has(name));
            if (who.size < had.size) seen.narrower += 1;
            if (more.length === 0) continue;
            if (id !== one.change.id) seen['from the side'] += 1;
            if (guard === 'card') expect([done, id, more, one]).toEqual(['applied', id, more, one]);
            if (guard === 'person') expect([isPersons(one.by.kind), one]).toEqual([true, one]);
            const byItsRules = one.change.kind === 'rules' && one.change.id === id;
            if (guard === 'none' && byItsRules) expect([isPersons(one.by.kind), one]).toEqual([true, one]);
            seen[done === 'applied' ? 'by a card' : 'by a person'] += 1;
          }
        }
      }),
      { numRuns: runs(5_000) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
  });

  test('deleting a policy or a gate function denies everyone, in any position', () => {
    fc.assert(
      fc.property(condition, fc.constantFrom(...policyIds), (one, gone) => {
        const { policies: reached, functions } = reachOf([one], policies());
        const left = policies(Object.fromEntries(policyIds.filter((id) => id !== gone).map((id) => [id, rulesOfAll])));
        const answered = new Map<string, boolean | 'failed'>([
          ['gate', 'failed' as const],
          ['fullGate', true],
        ]);
        const verdict = judge(one, facts({ place: 'function', person: person(), functions: answered }), left);
        if (reached.has(gone) || functions.has('gate')) expect(verdict.isAllowed).toBe(false);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

const rulesOfAll = { type: 'authenticated' };

function taken(of: Site, one: Step): ReturnType<Site['take']> | 'refused' {
  try {
    return of.take(one);
  } catch (error) {
    if (error instanceof Refusal) return 'refused';
    throw error;
  }
}
