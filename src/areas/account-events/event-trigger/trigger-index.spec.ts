import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { matches, operandOf, operators, wrongOperand } from '../../../kernel/condition/operators.js';
import { fieldValue, type Matchable } from './event-filter.js';
import type { EventTrigger, TriggerFilter } from './event-trigger.record.js';
import { TriggerIndex } from './trigger-index.js';

const scalar = fc.constantFrom(
  'a',
  'b',
  '',
  '2030-01-01',
  '2030-01-01T00:00:00Z',
  '2030-01-01T01:00:00+01:00',
  0,
  1,
  true,
);
const field = fc.constantFrom('x', 'y', 'x.y', '__proto__', 'constructor', 'name', 'source', 'origin', 'subject.name');
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant(null));
const filter = fc
  .record({ field, op: fc.constantFrom(...operators), value: fc.option(value, { nil: undefined }) })
  .filter(({ op, value }) => wrongOperand(op, value) === undefined) as fc.Arbitrary<TriggerFilter>;
const pattern = fc.constantFrom('*', 'custom.*', 'app.*', 'custom.a', 'custom.a.b', 'app.a', 'base.*');
const id = fc.constantFrom('t1', 't2', 't3', 't4', 't5', 't6');
const trigger: fc.Arbitrary<EventTrigger> = fc
  .record({ id, event: pattern, filters: fc.array(filter, { maxLength: 3 }), isActive: fc.boolean() })
  .map((terms) => ({
    ...terms,
    workspaceId: 'ws',
    name: 'n',
    config: {},
    targetKind: 'account_function',
    targetRef: 'fn',
    createdAt: '2030-01-01T00:00:00.000Z',
  }));
const properties = fc.dictionary(
  fc.constantFrom('x', 'y', 'x.y', '__proto__', 'constructor'),
  fc.oneof(value, fc.record({ y: value })),
);
const event: fc.Arbitrary<Matchable> = fc.record({
  name: fc.constantFrom('custom.a', 'custom.a.b', 'custom.b', 'app.a', 'base.row_created'),
  origin: fc.constantFrom('api', 'a'),
  subject: fc.dictionary(fc.constantFrom('name', 'id'), scalar),
  properties,
}) as fc.Arbitrary<Matchable>;
const step = fc.oneof(
  { weight: 4, arbitrary: trigger.map((one) => ({ set: one })) },
  { weight: 1, arbitrary: id.map((one) => ({ remove: one })) },
);

function naive(triggers: ReadonlyMap<string, EventTrigger>, one: Matchable): readonly string[] {
  const fires = ({ isActive, event: asked, filters }: EventTrigger) =>
    isActive &&
    (asked === '*' || asked === one.name || (asked.endsWith('.*') && one.name.startsWith(asked.slice(0, -1)))) &&
    filters.every((filter) => matches(filter.op, fieldValue(one, filter.field), operandOf(filter.value)));
  return [...triggers.values()].filter(fires).map((trigger) => trigger.id);
}

describe('the index of triggers', () => {
  it('finds the same triggers as a scan, after any changes', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.array(event, { minLength: 1, maxLength: 5 }),
        (steps, events) => {
          const index = new TriggerIndex();
          const triggers = new Map<string, EventTrigger>();
          for (const one of steps) {
            if ('set' in one) {
              index.set(one.set);
              triggers.set(one.set.id, one.set);
            } else {
              index.delete(one.remove);
              triggers.delete(one.remove);
            }
          }
          expect(index.size).toBe(triggers.size);
          for (const one of events) {
            const found = index.matching(one).map((trigger) => trigger.id);
            expect(found).toEqual([...naive(triggers, one)].sort());
            if (found.length > 0) expect(index.asksFor(one.name)).toBe(true);
          }
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  it('asks for nothing once all its triggers are deleted', () => {
    fc.assert(
      fc.property(fc.array(trigger, { maxLength: 10 }), event, (triggers, one) => {
        const index = new TriggerIndex();
        for (const trigger of triggers) index.set(trigger);
        for (const trigger of triggers) index.delete(trigger.id);
        expect([index.size, index.asksFor(one.name), index.matching(one)]).toEqual([0, false, []]);
      }),
    );
  });

  it('compares an event only with triggers that ask for its values', () => {
    const index = new TriggerIndex();
    const [made] = fc.sample(trigger, 1);
    if (made === undefined) throw new Error('No trigger was made.');
    let asked = 0;
    for (let n = 0; n < 1_000; n++) {
      const filters: readonly TriggerFilter[] = [{ field: 'customer', op: 'eq', value: `c${n}` }];
      const watched = new Proxy(filters, {});
      index.set({ ...made, id: `t${n}`, event: 'custom.a', isActive: true, filters: watched });
    }
    const counting = new Proxy(
      { customer: 'c7' },
      {
        getOwnPropertyDescriptor: (target, key) => {
          asked += 1;
          return Reflect.getOwnPropertyDescriptor(target, key);
        },
      },
    );
    const one = { name: 'custom.a', origin: 'api', subject: {}, properties: counting };
    expect(index.matching(one).map((trigger) => trigger.id)).toEqual(['t7']);
    expect(asked).toBeLessThan(10);
  });
});
