import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  conditions,
  conditionsOf,
  people,
  policySets,
} from '../../../../test/support/conditions/condition-arbitraries.js';
import { runs } from '../../../../test/support/depth.js';
import { type Guest, guest, SealedCrowd } from '../../../../test/support/stores/sealed-crowd.js';
import type { Policy } from '../../../kernel/condition/condition.js';
import { judge } from '../../../kernel/judging/judge.js';
import { personFacts } from '../../../kernel/judging/person-facts.js';
import type { PeopleRule } from '../../../ports/offloaded/sealed-people.port.js';
import { VaultSealBroken } from '../../../ports/vault.port.js';
import { Envelope } from '../../vault/envelope.js';
import { judgePeople } from './judge-people.js';
import { ReadRules, WrittenRules } from './shared-rules.js';

let crowd: SealedCrowd;
beforeAll(() => {
  crowd = new SealedCrowd();
});
afterAll(() => crowd.close());

const keys = () => new Envelope(crowd.masterKey).keys;
const fields = ['a', 'b', 'c'].map((name) => ({ id: `field_${name}`, name }));
const now = Date.parse('2030-03-01');

/** Each number becomes part of an id and is used only once, because a destroyed key must not be created again. */
let made = 0;
const nextNumber = () => {
  made += 1;
  return made;
};
const guests = fc.array(
  fc
    .tuple(people, fc.boolean(), fc.boolean())
    .map(([{ email, roleIds, entitlements, properties }, isVerified, isGone]) => {
      const customFields = Object.fromEntries(
        fields.flatMap(({ id, name }) => (Object.hasOwn(properties, name) ? [[id, properties[name]]] : [])),
      );
      const emailVerifiedAt = isVerified ? '2026-01-01' : null;
      return { isGone, more: { email: email ?? '', roleIds, entitlements, customFields, emailVerifiedAt } };
    }),
  { minLength: 1, maxLength: 6 },
);
const looks = fc.constantFrom<object>(
  ...['email', 'name', 'a'].map((property) => ({ type: 'user_property', property, operator: 'isEmpty' })),
  { type: 'user_property', property: 'name', operator: 'contains', value: 'former' },
  { type: 'user_property', property: 'email', operator: 'eq', value: 'erased' },
  { type: 'user_property', property: 'email', operator: 'contains', value: 'sealed' },
  { type: 'email', value: '@example.com' },
);
const asJson = (value: unknown): unknown => {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  } catch {
    return null;
  }
};

const posted = (rule: PeopleRule, request: Awaited<ReturnType<SealedCrowd['request']>>) =>
  new ReadRules().request(structuredClone(new WrittenRules().message({ ...request, rule })));

describe('people judged in a thread', () => {
  test('property: are those whom the plain evaluator admits, with their fields decrypted', async () => {
    const seen = { in: 0, out: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(conditions, conditionsOf(looks)).map(asJson),
        policySets.map(asJson),
        guests,
        async (condition, set, given) => {
          const policies: Record<string, Policy> = {};
          for (const [name, one] of Object.entries(set ?? {})) policies[name] = { name, condition: one };
          const all = given.map(({ more }) => guest(`guest_${nextNumber()}`, more));
          const sealed = await crowd.sealed(all);
          for (const [at, { isGone }] of given.entries()) if (isGone) await crowd.erase(all[at]?.id ?? '');
          const request = posted({ condition, policies, fields }, { ...(await crowd.request(sealed)), now });
          const facts = { now, place: 'audience', throughSite: false } as const;
          const expected = (await crowd.opened(sealed)).filter((one: Guest) => {
            const person = personFacts(one, fields, one.roleIds, one.entitlements);
            return judge(condition, { ...facts, person }, (id) => policies[id]).isAllowed;
          });
          expect(judgePeople(keys(), request).ids).toEqual(expected.map(({ id }) => id));
          seen.in += expected.length;
          seen.out += all.length - expected.length;
        },
      ),
      { numRuns: runs(500) },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
  });

  it('are all people without a rule, each with the token of the address, but without one if it is erased', async () => {
    const [ada, eve] = [guest('guest_ada', { email: 'Ada@Example.com ' }), guest('guest_eve')];
    const sealed = await crowd.sealed([ada, eve]);
    await crowd.erase('guest_eve');
    const request = { ...(await crowd.request(sealed, ['email'])), tokens: 'kind/' };
    expect(judgePeople(keys(), request)).toEqual({
      ids: ['guest_ada', 'guest_eve'],
      tokens: [crowd.vault.derive('kind/ada@example.com'), null],
    });
  });

  it('are not judged with a changed key, and the error names only the entry', async () => {
    const sealed = await crowd.sealed([guest('guest_max')]);
    const request = await crowd.request(sealed, ['email']);
    const broken = request.people.map(({ key, ...one }) => ({
      ...one,
      ...(key && { key: { ...key, sealedValue: key.sealedValue.map((byte, at) => (at === 40 ? byte ^ 1 : byte)) } }),
    }));
    expect(() => judgePeople(keys(), { ...request, people: broken })).toThrow(VaultSealBroken);
    expect(() => judgePeople(keys(), { ...request, people: broken })).toThrow('personal/ws_1/crowdGuest.guest_max');
  });

  it('are judged by placeholders for erased data once their key is destroyed', async () => {
    const sealed = await crowd.sealed([guest('guest_gone', { customFields: { field_a: 'a' } })]);
    await crowd.erase('guest_gone');
    const property = (name: string, operator: string, value?: string) => ({
      type: 'user_property',
      property: name,
      operator,
      ...(value !== undefined && { value }),
    });
    for (const condition of [
      property('name', 'eq', 'A former guest'),
      property('email', 'eq', 'erased'),
      property('a', 'isEmpty'),
    ]) {
      const rule = { condition, policies: {}, fields };
      expect(judgePeople(keys(), { ...(await crowd.request(sealed)), rule }).ids).toEqual(['guest_gone']);
    }
  });

  it('keep a value closed that was moved to another person', async () => {
    const [ada, eve] = await crowd.sealed([guest('guest_1a'), guest('guest_1e')]);
    if (ada === undefined || eve === undefined) throw new Error('Nobody was sealed.');
    const rule = { condition: { type: 'email', value: 'guest_1a@example.com' }, policies: {}, fields };
    const moved = await crowd.request([ada, { ...eve, email: ada.email }], ['email']);
    expect(judgePeople(keys(), { ...moved, rule }).ids).toEqual(['guest_1a']);
    const closed = { type: 'user_property', property: 'email', operator: 'contains', value: 'sealed:' };
    expect(judgePeople(keys(), { ...moved, rule: { ...rule, condition: closed } }).ids).toEqual(['guest_1e']);
  });
});

describe('rules for threads', () => {
  const request = { workspaceId: 'ws_1', people: [], erased: {}, now };
  const rule = (value: string): PeopleRule => ({ condition: { type: 'email', value }, policies: {}, fields });

  it('are serialised once, and parsed once while pages of one audience follow one another', () => {
    const [writes, reads] = [new WrittenRules(), new ReadRules()];
    const [one, other] = [rule('@a.org'), rule('@ü.org')];
    const messages = [one, one, other, one].map((each) => writes.message({ ...request, rule: each }).rule);
    expect(messages.map((each) => each?.number)).toEqual([1, 1, 2, 1]);
    expect(messages[1]?.bytes).toBe(messages[0]?.bytes);
    const read = messages.map((each) => reads.request({ ...request, rule: each }).rule);
    expect(read).toEqual([one, one, other, one]);
    expect(read[1]).toBe(read[0]);
    expect(reads.request({ ...request, rule: undefined }).rule).toBeUndefined();
  });
});
