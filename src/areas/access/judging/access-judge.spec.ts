import { beforeEach, describe, expect, it, test } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { facts, noPolicies, person, policies } from '../../../../test/support/conditions/condition-facts.js';
import {
  type AccessFunction,
  type AccessFunctions,
  AccessJudge,
  type AccessQuestion,
  type QuestionSubject,
} from './access-judge.api.js';

type Answer = boolean | 'failed' | Promise<boolean | 'failed'> | undefined;

class SomeRuns implements AccessFunctions {
  readonly functions = new Map<string, AccessFunction>();
  readonly answers = new Map<string, Exclude<Answer, undefined>>();
  readonly asked: { readonly id: string; readonly about: QuestionSubject; readonly ended: AbortSignal }[] = [];

  readonly wasAsked = Promise.withResolvers<void>();

  add(id: string, answer: Answer, given: Partial<AccessFunction> = {}): void {
    this.functions.set(id, { id, name: `fn ${id}`, isActive: true, version: 'v1', execute: null, ...given });
    if (answer !== undefined) this.answers.set(id, answer);
  }

  async find(_: string, __: string, ids: readonly string[]) {
    return ids.flatMap((id) => this.functions.get(id) ?? []);
  }

  async ask(_: object, id: string, about: QuestionSubject, ended: AbortSignal) {
    this.asked.push({ id, about, ended });
    this.wasAsked.resolve();
    if (!this.answers.has(id)) throw new Error('no sandbox');
    return this.answers.get(id) ?? ('failed' as const);
  }
}

let runs: SomeRuns;
let clock: MadeUpClock;
let judge: AccessJudge;
beforeEach(() => {
  runs = new SomeRuns();
  clock = new MadeUpClock();
  judge = new AccessJudge(clock);
  judge.register(runs);
});

const rule = (functionId: string) => ({ type: 'function', functionId });
const signedIn = { type: 'authenticated' };
const ada = person({ roleIds: ['role_1'], properties: { name: 'Ada', plan: 'pro' } });
const question = (condition: unknown, given: Partial<AccessQuestion> = {}): AccessQuestion => ({
  workspaceId: 'ws_1',
  projectId: 'proj_1',
  condition,
  facts: facts({ place: 'function', person: ada }),
  policies: noPolicies,
  resource: { type: 'function', id: 'fn_9', name: 'export' },
  ...given,
});
const outcome = async (condition: unknown, given: Partial<AccessQuestion> = {}) =>
  (await judge.judge(question(condition, given))).outcome;

describe('a function rule', () => {
  test.each<readonly [Answer, string]>([
    [true, 'allowed'],
    [false, 'denied'],
    ['failed', 'fault'],
    [undefined, 'fault'],
  ])('whose function answers %j: %s', async (answer, expected) => {
    runs.add('a', answer);
    expect(await outcome(rule('a'))).toBe(expected);
    expect(await outcome({ not: rule('a') })).not.toBe(expected === 'fault' ? 'allowed' : expected);
  });

  it('passes the caller and the purpose to the function', async () => {
    runs.add('a', true);
    await outcome(rule('a'));
    await outcome(rule('a'), { facts: facts({ place: 'function' }) });
    const resource = { type: 'function', id: 'fn_9', name: 'export' };
    expect(runs.asked.map(({ about }) => about)).toEqual([
      { person: ada, resource },
      { person: undefined, resource },
    ]);
  });

  it('of a function that is deleted or inactive denies everyone, and runs nothing', async () => {
    runs.add('off', true, { isActive: false });
    expect(await outcome(rule('gone'))).toBe('fault');
    expect(await outcome({ not: rule('off') })).toBe('fault');
    expect(runs.asked).toEqual([]);
  });

  it('that cannot decide any more is not asked', async () => {
    runs.add('a', true);
    runs.add('b', true);
    expect(await outcome([signedIn, rule('a')])).toBe('allowed');
    expect(runs.asked).toEqual([]);
    expect(await outcome([rule('a'), rule('b')])).toBe('allowed');
    expect(runs.asked.map(({ id }) => id)).toEqual(['a']);
  });

  it('denies after two seconds, and ends the run', async () => {
    runs.add('a', new Promise(() => {}));
    const judged = outcome({ any: [rule('a')] });
    await runs.wasAsked.promise;
    clock.advance(2_000);
    expect(await judged).toBe('fault');
    expect(runs.asked[0]?.ended.aborted).toBe(true);
  });
});

describe('an answer', () => {
  beforeEach(() => runs.add('a', true));

  it('is cached for five seconds', async () => {
    await outcome(rule('a'));
    clock.advance(4_999);
    await outcome(rule('a'));
    expect(runs.asked).toHaveLength(1);
    clock.advance(1);
    await outcome(rule('a'));
    expect(runs.asked).toHaveLength(2);
  });

  it('is shared by simultaneous questions', async () => {
    await Promise.all([1, 2, 3].map(() => outcome(rule('a'))));
    expect(runs.asked).toHaveLength(1);
  });

  it('that failed is not cached', async () => {
    runs.add('a', 'failed');
    expect(await outcome(rule('a'))).toBe('fault');
    runs.answers.set('a', true);
    expect(await outcome(rule('a'))).toBe('allowed');
  });

  const of = (given: object) => ({ facts: facts({ place: 'function', person: { ...ada, ...given } }) });
  const held = { key: 'pro', state: 'granted' as const, expiresAt: null, graceUntil: null };
  test.each<readonly [string, Partial<AccessQuestion>]>([
    ['another user', of({ id: 'user_eve' })],
    ['a role', of({ roleIds: [] })],
    ['an entitlement', of({ entitlements: [held] })],
    ['a property', of({ properties: { plan: 'free' } })],
    ['an address', of({ email: null })],
    ['a ban, by which the user becomes a visitor', { facts: facts({ place: 'function' }) }],
    ['another resource', { resource: { type: 'function', id: 'fn_8', name: 'export' } }],
    ['another rule', { condition: [rule('a'), { type: 'has_role', roleId: 'x' }] }],
    ['another site', { projectId: 'proj_2' }],
  ])('is asked again for %s', async (_, given) => {
    await outcome(rule('a'));
    await outcome(rule('a'), given);
    expect(runs.asked).toHaveLength(2);
  });

  it('is asked again if the function, or a policy of the rule, has changed', async () => {
    const known = (condition: unknown) => ({ policies: policies({ p: condition }) });
    await outcome({ policy: 'p' }, known([rule('a')]));
    await outcome({ policy: 'p' }, known([rule('a'), { type: 'has_role', roleId: 'x' }]));
    expect(runs.asked).toHaveLength(2);
    runs.add('a', false, { version: 'v2' });
    expect(await outcome({ policy: 'p' }, known([rule('a')]))).toBe('denied');
  });

  it('is asked again if an entitlement has expired in the meantime', async () => {
    const until = { ...held, expiresAt: '2030-06-01T12:00:01Z' };
    const at = (now: string) => ({
      facts: facts({ now: Date.parse(now), place: 'function', person: { ...ada, entitlements: [until] } }),
    });
    await outcome(rule('a'), at('2030-06-01T12:00:00Z'));
    await outcome(rule('a'), at('2030-06-01T12:00:01Z'));
    expect(runs.asked).toHaveLength(2);
  });
});

describe('functions whose rules ask functions', () => {
  const chain = (...ids: readonly string[]) => {
    for (const [at, id] of ids.entries()) {
      const next = ids[at + 1];
      runs.add(id, true, { execute: next === undefined ? signedIn : rule(next) });
    }
  };

  it('are four at most, and no further one is asked', async () => {
    chain('a', 'b', 'c', 'd');
    expect(await outcome(rule('a'))).toBe('allowed');
    expect(runs.asked.map(({ id }) => id)).toEqual(['a']);
    chain('a', 'b', 'c', 'd', 'e');
    const verdict = await judge.judge(question({ not: rule('a') }));
    expect(verdict.isAllowed).toBe(false);
    expect(verdict.explain()[0]?.sentence).toContain('fn a → fn b → fn c → fn d → fn e');
    expect(runs.asked).toHaveLength(1);
  });

  it('in a cycle deny everyone', async () => {
    runs.add('a', true, { execute: rule('b') });
    runs.add('b', true, { execute: [signedIn, rule('a')] });
    const verdict = await judge.judge(question({ not: rule('a') }));
    expect(verdict.isAllowed).toBe(false);
    expect(verdict.explain()[0]?.sentence).toContain('cycle');
  });
});
