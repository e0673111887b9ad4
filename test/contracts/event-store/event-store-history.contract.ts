import fc from 'fast-check';
import type { NewEvent } from '../../../src/kernel/event/event.js';
import {
  type Appended,
  type AppendRequest,
  type EventStore,
  type ExpectedRevision,
  WrongExpectedRevision,
} from '../../../src/ports/event-store.port.js';
import { runs } from '../../support/depth.js';
import { eventually, idsOf, type OpenEventStore, type OpenedEventStore, Recorder, Scene } from './event-store-scene.js';

type Move =
  | {
      readonly kind: 'append';
      readonly stream: string;
      readonly expects: 'right' | 'wrong' | 'any' | 'none';
      count: number;
    }
  | { readonly kind: 'repeat'; readonly which: number }
  | { readonly kind: 'truncate'; readonly stream: string; readonly before: number }
  | { readonly kind: 'restart' };

const stream = fc.constantFrom('a', 'b', 'c');
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      stream,
      expects: fc.constantFrom('right' as const, 'wrong' as const, 'any' as const, 'none' as const),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat' as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('truncate' as const), stream, before: fc.integer({ min: 0, max: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** The simplest correct event store, as the model. */
class Model {
  readonly streams = new Map<string, { readonly events: NewEvent[]; pruned: number }>();
  readonly answered: { readonly request: AppendRequest; readonly answer: readonly Appended[]; first: number }[] = [];

  of(name: string) {
    const known = this.streams.get(name) ?? { events: [], pruned: 0 };
    this.streams.set(name, known);
    return known;
  }

  remaining(name: string): readonly string[] {
    const { events, pruned } = this.of(name);
    return idsOf(events.slice(pruned));
  }
}

export function historyContract(open: OpenEventStore): void {
  let opened: OpenedEventStore;
  let store: EventStore;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  async function append(model: Model, request: AppendRequest, right: boolean): Promise<void> {
    const known = model.of(request.stream);
    if (!right) {
      const actual = known.events.length - 1;
      const refused = await store.append([request]).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WrongExpectedRevision);
      expect(refused).toMatchObject({ actual });
      return;
    }
    const answer = await store.append([request]);
    const first = known.events.length;
    known.events.push(...request.events);
    expect(answer).toMatchObject([{ revision: known.events.length - 1 }]);
    model.answered.push({ request, answer, first });
  }

  async function make(scene: Scene, model: Model, made: Move): Promise<void> {
    switch (made.kind) {
      case 'append': {
        const last = model.of(scene.stream(made.stream)).events.length - 1;
        const expected: ExpectedRevision =
          made.expects === 'right' ? (last < 0 ? 'none' : last) : made.expects === 'wrong' ? last + 2 : made.expects;
        const right = made.expects === 'right' || made.expects === 'any' || (made.expects === 'none' && last < 0);
        return append(model, scene.request(made.stream, expected, made.count), right);
      }
      case 'repeat': {
        // The port promises nothing about repeating an append whose events were pruned.
        const whole = model.answered.filter(({ request, first }) => first >= model.of(request.stream).pruned);
        const again = whole[made.which % whole.length];
        if (again !== undefined) expect(await store.append([again.request])).toEqual(again.answer);
        return;
      }
      case 'truncate': {
        const known = model.of(scene.stream(made.stream));
        const before = Math.min(made.before, known.events.length);
        known.pruned = Math.max(known.pruned, before);
        return store.truncate(scene.stream(made.stream), before);
      }
      case 'restart':
        store = await opened.reopen();
    }
  }

  async function compare(scene: Scene, model: Model): Promise<void> {
    for (const name of model.streams.keys()) {
      const forward = await store.readStream(name);
      expect(idsOf(forward)).toEqual(model.remaining(name));
      expect(forward.map(({ revision }) => revision)).toEqual(forward.map((_, n) => model.of(name).pruned + n));
      expect(await store.readStream(name, { direction: 'backward' })).toEqual(forward.toReversed());
    }
    const left = new Set([...model.streams.keys()].flatMap((name) => model.remaining(name)));
    const order = model.answered.flatMap(({ request }) => idsOf(request.events)).filter((id) => left.has(id));
    const all = await store.readAll({ workspaceId: scene.workspaceId, limit: 1_000 });
    expect(idsOf(all).filter((id) => left.has(id))).toEqual(order);
  }

  it('of appends, repetitions, prunings and restarts reads like the model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
        const [scene, model] = [new Scene(), new Model()];
        for (const made of moves) await make(scene, model, made);
        await compare(scene, model);
      }),
      { numRuns: runs(80) },
    );
  }, 120_000);

  it('can be followed from any position while it is being written', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sizes, sizes, fc.nat(), fc.boolean(), async (before, during, where, slow) => {
        const scene = new Scene();
        const write = (count: number, n: number) => store.append([scene.request(`${n % 3}`, 'any', count)]);
        const beginning = await store.head();
        for (const [n, count] of before.entries()) await write(count, n);
        const places = [beginning, ...(await store.readAll({ from: beginning, limit: 100 })).map((e) => e.position)];
        const after = places[where % places.length] ?? beginning;
        const recorder = new Recorder();
        const subscription = store.subscribe({
          after,
          workspaceId: scene.workspaceId,
          handle: async (events, caughtUpTo) => {
            if (slow) await new Promise((resolve) => setImmediate(resolve));
            await recorder.handle(events, caughtUpTo);
          },
        });
        await Promise.all(during.map(write));
        const whole = await store.readAll({ from: after, workspaceId: scene.workspaceId, limit: 1_000 });
        await eventually(() => recorder.events.length >= whole.length, 'the whole log');
        await subscription.stop();
        expect(recorder.events).toEqual(whole);
      }),
      { numRuns: runs(80) },
    );
  }, 120_000);
}
