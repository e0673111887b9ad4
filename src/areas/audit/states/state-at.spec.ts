import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { EventStoreInMemory } from '../../../../test/support/given/event-store-in-memory.js';
import type { DomainEvent, NewEvent, Recorded } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type RecordAggregate, recordKind } from '../../../kernel/record/record.js';
import '../../workspace/agent/agent.record.js';
import { specMetadata } from '../../../../test/support/given/given.js';
import { StateAt } from './state-at.api.js';

const agents = () => recordKind('agent') as RecordAggregate<Document, DomainEvent>;
const stream = 'agent-ws.a';
const begin = Date.parse('2030-01-01T00:00:00.000Z');
const facts = { memberId: 'm', canCreateFunctions: false, grants: {}, isActive: true };

const eventAt = (n: number, at: number): NewEvent => ({
  id: `00000000-0000-8000-8000-${String(n).padStart(12, '0')}`,
  type: n === 0 ? 'AgentAdded' : 'AgentUpdated',
  data: n === 0 ? { name: 'n0', ...facts } : { name: `n${n}` },
  metadata: specMetadata({ at: new Date(at).toISOString() }),
});

/** `steps` contains the times between the events, in milliseconds. */
async function recorded(steps: readonly number[]) {
  const store = new EventStoreInMemory();
  let at = begin;
  const events = steps.map((step, n) => {
    at += step;
    return eventAt(n, at);
  });
  await store.append([{ stream, expected: 'none', events }]);
  return { store, events: await store.readStream(stream) };
}

const nameOf = (state: Document | undefined) => (state as { readonly name?: string } | undefined)?.name;

describe('a past state of a record', () => {
  it('is the fold from the beginning at every revision and instant, in any order of questions', async () => {
    const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -5, max: 20 })), {
      minLength: 1,
      maxLength: 300,
      size: 'max',
    });
    const asked = fc.array(fc.tuple(fc.boolean(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), {
      minLength: 1,
      maxLength: 20,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(steps, asked, async (times, questions) => {
        const { store, events } = await recorded(times);
        const folds = new StateAt(store);
        const latest = events.map((_, n) => Math.max(...events.slice(0, n + 1).map((e) => Date.parse(e.metadata.at))));
        for (const [byPosition, share] of questions) {
          const position = Math.floor(share * (events.length + 1)) - 1;
          const instant = begin - 5 + Math.floor(share * (10 + (latest.at(-1) ?? begin) - begin));
          const included = byPosition ? position + 1 : latest.filter((time) => time <= instant).length;
          const expected = events
            .slice(0, included)
            .reduce<Document | undefined>(
              (state, event) => agents().evolve(state, event as Recorded<DomainEvent>),
              undefined,
            );
          const found = await folds.at(agents(), stream, byPosition ? { position } : { instant });
          expect(found.state).toEqual(expected);
          expect(found.revision).toBe(included - 1);
          expect(found.position).toBe(events[included - 1]?.position ?? null);
          expect(found.at).toBe(events[included - 1]?.metadata.at ?? null);
        }
      }),
      { numRuns: runs(30) },
    );
  });

  it('includes all events of the requested millisecond', async () => {
    const { store } = await recorded([0, 5, 0, 0, 1]);
    const folds = new StateAt(store);
    const at = async (instant: number) => nameOf((await folds.at(agents(), stream, { instant })).state);
    expect(await at(begin + 4)).toBe('n0');
    expect(await at(begin + 5)).toBe('n3');
    expect(await at(begin + 6)).toBe('n4');
  });

  it('follows the order of its events if the clock was set back', async () => {
    const { store } = await recorded([0, 100, -60, 10, 80]);
    const folds = new StateAt(store);
    const at = async (instant: number) => nameOf((await folds.at(agents(), stream, { instant })).state);
    expect(await at(begin + 99)).toBe('n0');
    // The clock was set back before the third event, so the third and fourth event are treated as having the time of
    // the second.
    expect(await at(begin + 100)).toBe('n3');
    expect(await at(begin + 130)).toBe('n4');
  });

  it('reads only the events after the nearest cached fold', async () => {
    const { store, events } = await recorded(Array.from({ length: 2_000 }, () => 1));
    const folds = new StateAt(store);
    await folds.at(agents(), stream, { position: events.at(-1)?.position ?? 0 });
    let read = 0;
    const readStream = store.readStream.bind(store);
    store.readStream = async (...asked) => {
      const found = await readStream(...asked);
      read += found.length;
      return found;
    };
    for (const revision of [0, 63, 64, 1_000, 1_999]) {
      read = 0;
      expect(nameOf((await folds.at(agents(), stream, { position: events[revision]?.position ?? 0 })).state)).toBe(
        `n${revision}`,
      );
      expect(read).toBeLessThanOrEqual(64 + 40);
    }
  });
});
