import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { given, recorded, specAt } from '../../../../test/support/given/given.js';
import type { Recorded } from '../../../kernel/event/event.js';
import { fold } from '../../../kernel/record/aggregate.js';
import { addCredits, chargeCredit, giveCreditBack, reserveCredit, reservedForMs } from './credits.js';
import {
  type Credits,
  type CreditsEvent,
  creditsLeft,
  creditsOfWorkspace,
  firstCredits,
  isReserved,
} from './credits.record.js';

const later = (ms: number) => new Date(Date.parse(specAt) + ms).toISOString();
const until = later(reservedForMs);
const opened = (amount = firstCredits): CreditsEvent => ({ type: 'CreditsOpened', data: { amount } });
const reserved = (reservation: string): CreditsEvent => ({ type: 'CreditReserved', data: { reservation, until } });
const charged = (reservation: string): CreditsEvent => ({ type: 'CreditCharged', data: { reservation } });
const givenBack = (reservation: string): CreditsEvent => ({ type: 'CreditGivenBack', data: { reservation } });

describe('a workspace of whose credits nothing is recorded', () => {
  test('has the first ones', () => {
    expect(creditsLeft(undefined, specAt)).toBe(firstCredits);
  });

  test('gets them recorded with whatever comes first', () => {
    given()
      .when(() => reserveCredit(undefined, 'a', specAt))
      .emits(opened(), reserved('a'));
    given()
      .when(() => addCredits(undefined, 5))
      .emits(opened(), { type: 'CreditsAdded', data: { amount: 5 } });
  });

  test('has nothing to charge or to give back', () => {
    given()
      .when(() => chargeCredit(undefined, 'a', specAt))
      .refuses('ai-credit-lapsed');
    given()
      .when(() => giveCreditBack(undefined, 'a', specAt))
      .emitsNothing();
  });
});

describe('reserving', () => {
  test('takes a credit for ten minutes', () => {
    given(creditsOfWorkspace, [opened()]).when(reserveCredit, 'a', specAt).emits(reserved('a'));
    expect(until).toBe(later(600_000));
  });

  test('the last credit is had by one', () => {
    given(creditsOfWorkspace, [opened(1), reserved('a')])
      .when(reserveCredit, 'b', specAt)
      .emitsNothing();
  });

  test('what is in this hand already is not taken again', () => {
    given(creditsOfWorkspace, [opened(2), reserved('a')])
      .when(reserveCredit, 'a', specAt)
      .emitsNothing();
  });

  test('a credit that was given back is there again', () => {
    given(creditsOfWorkspace, [opened(1), reserved('a'), givenBack('a')])
      .when(reserveCredit, 'b', specAt)
      .emits(reserved('b'));
  });

  test('a credit that was charged is not', () => {
    given(creditsOfWorkspace, [opened(1), reserved('a'), charged('a')])
      .when(reserveCredit, 'b', specAt)
      .emitsNothing();
  });

  test('what nobody settled counts again when its time is over, and not before', () => {
    const left = [opened(1), reserved('a')];
    given(creditsOfWorkspace, left)
      .when(reserveCredit, 'b', later(reservedForMs - 1))
      .emitsNothing();
    given(creditsOfWorkspace, left)
      .when(reserveCredit, 'b', until)
      .emits({ type: 'CreditReserved', data: { reservation: 'b', until: later(2 * reservedForMs) } });
  });
});

describe('charging', () => {
  test('settles what is reserved, once', () => {
    given(creditsOfWorkspace, [opened(), reserved('a')])
      .when(chargeCredit, 'a', specAt)
      .emits(charged('a'));
    given(creditsOfWorkspace, [opened(), reserved('a'), charged('a')])
      .when(chargeCredit, 'a', specAt)
      .refuses('ai-credit-lapsed');
  });

  test('comes too late when the time is over: another one may have the credit', () => {
    given(creditsOfWorkspace, [opened(), reserved('a')])
      .when(chargeCredit, 'a', until)
      .refuses('ai-credit-lapsed');
  });
});

test('giving back settles what is reserved, once', () => {
  given(creditsOfWorkspace, [opened(), reserved('a')])
    .when(giveCreditBack, 'a', specAt)
    .emits(givenBack('a'));
  given(creditsOfWorkspace, [opened(), reserved('a'), givenBack('a')])
    .when(giveCreditBack, 'a', specAt)
    .emitsNothing();
});

test('property: however calls come and go, no more is spent than was granted, and what lapsed does not pile up', () => {
  const step = fc.record({
    what: fc.constantFrom('reserve', 'charge', 'giveBack', 'add'),
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    waits: fc.integer({ min: 0, max: reservedForMs }),
  });
  fc.assert(
    fc.property(fc.nat(3), fc.array(step, { maxLength: 40 }), (amount, steps) => {
      let state: Credits | undefined = evolve(undefined, [opened(amount)], specAt);
      let now = 0;
      for (const { what, id, waits } of steps) {
        now += waits;
        const at = later(now);
        const events = decide(what, state, id, at);
        state = evolve(state, events, at);
        const live = state?.reserved.filter((one) => one.until > at).length ?? 0;
        const { granted = 0, used = 0 } = state ?? {};
        expect(used + live).toBeLessThanOrEqual(granted);
        expect(creditsLeft(state, at)).toBe(granted - used - live);
        if (events.some(({ type }) => type === 'CreditReserved')) expect(state?.reserved.length).toBe(live);
      }
    }),
  );
});

function decide(what: string, state: Credits | undefined, id: string, at: string): readonly CreditsEvent[] {
  if (what === 'reserve') return reserveCredit(state, id, at);
  if (what === 'add') return addCredits(state, 1);
  if (what === 'giveBack') return giveCreditBack(state, id, at);
  return isReserved(state, id, at) ? chargeCredit(state, id, at) : [];
}

function evolve(state: Credits | undefined, events: readonly CreditsEvent[], at: string): Credits | undefined {
  const log = events.map((event, revision) => recorded('credits', event, revision, { at }) as Recorded<CreditsEvent>);
  return fold(creditsOfWorkspace, state, log);
}
