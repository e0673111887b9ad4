import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { recorded, stateOf } from '../../../../test/support/given/given.js';
import { isHeld } from '../../../kernel/judging/entitlement.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import {
  entitlementStatus,
  expireEntitlement,
  extendEntitlement,
  grantEntitlement,
  revokeEntitlement,
  suspendEntitlement,
} from './entitlement.js';
import { type Entitlement, type EntitlementEvent, entitlements } from './entitlement.record.js';

const of = { projectId: 'proj_1', appUserId: 'usr_1', key: 'member' };
const begin = Date.parse('2030-01-01T00:00:00Z');
const iso = (time: number) => new Date(time).toISOString();

type Move =
  | { readonly move: 'grant'; readonly expires: number | null; readonly grace: number | null; readonly source: number }
  | { readonly move: 'extend'; readonly expires: number; readonly grace: number | null; readonly atLeast: boolean }
  | { readonly move: 'suspend'; readonly grace: number | null }
  | { readonly move: 'revoke' | 'sweep' | 'wait' };

const hours = fc.integer({ min: -3, max: 12 });
const perhaps = fc.option(hours);
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    fc.record({ move: fc.constant('grant' as const), expires: perhaps, grace: perhaps, source: fc.nat(1) }),
    fc.record({ move: fc.constant('extend' as const), expires: hours, grace: perhaps, atLeast: fc.boolean() }),
    fc.record({ move: fc.constant('suspend' as const), grace: perhaps }),
    fc.record({ move: fc.constantFrom('revoke' as const, 'sweep' as const, 'wait' as const, 'wait' as const) }),
  ),
  { maxLength: 30 },
);

interface Model {
  word: 'granted' | 'suspended' | 'revoked';
  expires: number | null;
  grace: number | null;
  source: number;
  announced: boolean;
}

const invalid = 'invalid-input';

function afterMove(
  model: Model | undefined,
  move: Move,
  now: number,
): string | { readonly model: Model; readonly announces?: true } | undefined {
  const at = (hour: number | null) => (hour === null ? null : now + hour * 3_600_000);
  const end = model?.expires === null ? null : (model?.grace ?? model?.expires ?? null);
  const isOver = model?.word === 'granted' && end !== null && now >= end;
  switch (move.move) {
    case 'wait':
      return undefined;
    case 'sweep':
      if (model === undefined || !isOver || model.announced) return undefined;
      return { model: { ...model, announced: true }, announces: true };
    case 'grant': {
      const [expires, grace] = [at(move.expires), at(move.grace)];
      if (expires !== null && grace !== null && grace < expires) return invalid;
      const next = { word: 'granted' as const, expires, grace: expires === null ? null : grace, source: move.source };
      const isSame =
        model?.word === 'granted' &&
        model.expires === next.expires &&
        model.grace === next.grace &&
        model.source === next.source;
      return { model: { ...next, announced: isSame && model.announced } };
    }
    case 'extend': {
      if (model === undefined) return 'entitlement-not-found';
      if (model.word === 'revoked') return 'entitlement-revoked';
      const [expires, grace] = [now + move.expires * 3_600_000, at(move.grace)];
      if (grace !== null && grace < expires) return invalid;
      const later =
        model.expires !== null &&
        (expires > model.expires || (expires === model.expires && (grace ?? -Infinity) > (model.grace ?? -Infinity)));
      if (move.atLeast && !later) return undefined;
      const next = { ...model, expires, grace: model.word === 'suspended' ? model.grace : grace };
      const isSame = model.expires === next.expires && model.grace === next.grace;
      return { model: { ...next, announced: isSame && model.announced } };
    }
    case 'suspend':
      if (model === undefined) return 'entitlement-not-found';
      if (model.word === 'revoked') return 'entitlement-revoked';
      if (hasAccess(model, now)) {
        const until = (model.word === 'suspended' ? model.grace : end) ?? Number.POSITIVE_INFINITY;
        const grace = move.grace === null ? null : Math.min(now + move.grace * 3_600_000, until);
        return { model: { ...model, word: 'suspended', grace, announced: false } };
      }
      if (model.word === 'suspended') return undefined;
      return { model: { ...model, word: 'suspended', grace: null, announced: false } };
    case 'revoke':
      if (model === undefined) return 'entitlement-not-found';
      if (model.word === 'revoked') return 'entitlement-revoked';
      return { model: { ...model, word: 'revoked' } };
  }
}

function hasAccess({ word, expires, grace }: Model, now: number): boolean {
  if (word === 'revoked') return false;
  if (word === 'suspended') return grace !== null && now < grace;
  return expires === null || now < expires || (grace !== null && now < grace);
}

function decide(before: Entitlement | undefined, move: Move, now: number): readonly EntitlementEvent[] {
  const at = (name: string, hour: number | null) => (hour === null ? {} : { [name]: iso(now + hour * 3_600_000) });
  switch (move.move) {
    case 'wait':
      return [];
    case 'sweep':
      return before === undefined ? [] : expireEntitlement(before, now);
    case 'grant': {
      const source = { n: move.source };
      return grantEntitlement(before, of, {
        ...at('expiresAt', move.expires),
        ...at('graceUntil', move.grace),
        source,
      });
    }
    case 'extend': {
      const expiresAt = iso(now + move.expires * 3_600_000);
      return extendEntitlement(before, { expiresAt, ...at('graceUntil', move.grace), atLeast: move.atLeast });
    }
    case 'suspend':
      return suspendEntitlement(before, at('graceUntil', move.grace), now);
    case 'revoke':
      return revokeEntitlement(before);
  }
}

/** The full hours of the next day at which the entitlement gives access, if nothing changes. */
const heldAt = (state: Entitlement | undefined, now: number): readonly number[] =>
  Array.from({ length: 24 }, (_, hour) => now + hour * 3_600_000).filter(
    (time) => state !== undefined && isHeld(state, time) === true,
  );

describe('an entitlement, after any operations', () => {
  it('equals a simple model', () => {
    fc.assert(
      fc.property(moves, fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 30, maxLength: 30 }), (all, waits) => {
        let now = begin;
        let state: Entitlement | undefined;
        let model: Model | undefined;
        let revision = 0;
        for (const [index, move] of all.entries()) {
          now += (waits[index] ?? 0) * 1_800_000;
          const expected = afterMove(model, move, now);
          let events: readonly EntitlementEvent[] = [];
          let refused: string | undefined;
          try {
            events = decide(state, move, now);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            refused = error.code;
          }
          expect(refused).toBe(typeof expected === 'string' ? expected : undefined);
          if (typeof expected === 'object') model = expected.model;
          const announces = typeof expected === 'object' && expected.announces === true;
          expect(events.some(({ type }) => type === 'EntitlementExpired')).toBe(announces);
          const heldBefore = heldAt(state, now);
          for (const event of events) {
            state = entitlements.evolve(state, recorded('entitlement', event, revision++, { at: iso(now) }));
          }
          if (move.move === 'suspend') {
            expect(heldAt(state, now).filter((time) => !heldBefore.includes(time))).toEqual([]);
          }
          // A repeated move changes nothing, except that a second revocation is refused.
          if (refused === undefined && move.move !== 'revoke') expect(decide(state, move, now)).toEqual([]);
          expect(state === undefined).toBe(model === undefined);
          if (state === undefined || model === undefined) continue;
          const { key, state: word, expiresAt, graceUntil } = state;
          expect(isHeld({ key, state: word, expiresAt, graceUntil }, now)).toBe(hasAccess(model, now));
          const status = entitlementStatus(state, now);
          if (word === 'granted') expect(status !== 'expired').toBe(hasAccess(model, now));
          else expect(status).toBe(model.word);
        }
        const shown = state?.history.map(({ change }) => change) ?? [];
        expect(shown).toHaveLength(Math.min(revision, 50));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('gives no access beyond its end because of a suspension that an earlier version recorded', () => {
    const ends = { expiresAt: '2030-01-02T00:00:00.000Z', graceUntil: null };
    const graceUntil = '2040-01-01T00:00:00.000Z';
    const all: readonly EntitlementEvent[] = [
      { type: 'EntitlementGranted', data: { ...of, ...ends, source: null } },
      { type: 'EntitlementSuspended', data: { ...of, graceUntil } },
      { type: 'EntitlementSuspended', data: { ...of, graceUntil: '2050-01-01T00:00:00.000Z' } },
      { type: 'EntitlementExtended', data: { ...of, expiresAt: '2031-01-01T00:00:00.000Z', graceUntil } },
    ];
    const states = all.map((_, n) => stateOf(entitlements, all.slice(0, n + 1))?.graceUntil);
    expect(states).toEqual([null, ends.expiresAt, ends.expiresAt, ends.expiresAt]);
  });

  it('stores the latest fifty of its changes', () => {
    let state: Entitlement | undefined;
    for (let n = 0; n < 120; n++) {
      for (const event of grantEntitlement(state, of, { source: { n } })) {
        state = entitlements.evolve(state, recorded('entitlement', event, n));
      }
    }
    expect(state?.history.map(({ source }) => source?.['n'])).toEqual(Array.from({ length: 50 }, (_, n) => 70 + n));
  });
});
