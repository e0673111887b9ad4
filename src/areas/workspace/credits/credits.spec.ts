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

describe('a workspace without recorded credits', () => {
  test('has the initial ones', () => {
    expect(creditsLeft(undefined, specAt)).toBe(firstCredits);
  });

  test('gets them recorded with its first change', () => {
    given()
      .when(() => reserveCredit(undefined, 'a', specAt))
      .emits(opened(), reserved('a'));
    given()
      .when(() => addCredits(undefined, 5))
      .emits(opened(), { type: 'CreditsAdded', data: { amount: 5 } });
  });

  test('has nothing to charge or to return', () => {
    given()
      .when(() => chargeCredit(undefined, 'a', specAt))
      .refuses('ai-credit-lapsed');
    given()
      .when(() => giveCreditBack(undefined, 'a', specAt))
      .emitsNothing();
  });
});

describe('reserving', () => {
  test('reserves a credit for ten minutes', () => {
    given(creditsOfWorkspace, [opened()]).when(reserveCredit, 'a', specAt).emits(reserved('a'));
    expect(until).toBe(later(600_000));
  });

  test('gives the last credit to one', () => {
    given(creditsOfWorkspace, [opened(1), reserved('a')])
      .when(reserveCredit, 'b', specAt)
      .emitsNothing();
  });

  test('changes nothing for a credit that it has reserved already', () => {
    given(creditsOfWorkspace, [opened(2), reserved('a')])
      .when(reserveCredit, 'a', specAt)
      .emitsNothing();
  });

  test('can use a returned credit again', () => {
    given(creditsOfWorkspace, [opened(1), reserved('a'), givenBack('a')])
      .when(reserveCredit, 'b', specAt)
      .emits(reserved('b'));
  });

  test('cannot use a charged credit again', () => {
    given(creditsOfWorkspace, [opened(1), reserved('a'), charged('a')])
      .when(reserveCredit, 'b', specAt)
      .emitsNothing();
  });

  test('can use an unsettled credit again when its time is over, and not before', () => {
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
  test('settles a reservation, once', () => {
    given(creditsOfWorkspace, [opened(), reserved('a')])
      .when(chargeCredit, 'a', specAt)
      .emits(charged('a'));
    given(creditsOfWorkspace, [opened(), reserved('a'), charged('a')])
      .when(chargeCredit, 'a', specAt)
      .refuses('ai-credit-lapsed');
  });

  test('is too late when the time is over, because another may have the credit', () => {
    given(creditsOfWorkspace, [opened(), reserved('a')])
      .when(chargeCredit, 'a', until)
      .refuses('ai-credit-lapsed');
  });
});

test('returning settles a reservation, once', () => {
  given(creditsOfWorkspace, [opened(), reserved('a')])
    .when(giveCreditBack, 'a', specAt)
    .emits(givenBack('a'));
  given(creditsOfWorkspace, [opened(), reserved('a'), givenBack('a')])
    .when(giveCreditBack, 'a', specAt)
    .emitsNothing();
});

test('property: for any calls, no more is spent than was granted, and expired reservations do not accumulate', () => {
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
