import fc from 'fast-check';
import type { EventStore, Subscriber, Subscription } from '../../../src/ports/event-store.port.js';
import { takes } from '../../support/clocks/delays.js';
import { runs } from '../../support/depth.js';
import { eventually, idsOf, type OpenEventStore, type OpenedEventStore, Recorder, Scene } from './event-store-scene.js';

export function subscribeContract(open: OpenEventStore): void {
  let opened: OpenedEventStore;
  let store: EventStore;
  let scene: Scene;
  let start: number;
  const subscriptions: Subscription[] = [];

  const subscribe = (subscriber: Partial<Subscriber> & Pick<Subscriber, 'handle'>): Subscription => {
    const subscription = store.subscribe({ after: start, workspaceId: scene.workspaceId, ...subscriber });
    subscriptions.push(subscription);
    return subscription;
  };
  const append = async (id: string, count: number) => {
    const [appended] = await store.append([scene.request(id, 'any', count)]);
    return appended?.position ?? Number.NaN;
  };
  const log = () => store.readAll({ workspaceId: scene.workspaceId, from: start, limit: 1_000 });

  beforeEach(async () => {
    opened = await open();
    store = opened.store;
    scene = new Scene();
    start = await store.head();
  });
  afterEach(async () => {
    await Promise.all(subscriptions.splice(0).map((subscription) => subscription.stop()));
    await opened.close();
  });

  it('delivers history and then new events, once and in order', async () => {
    await append('a', 3);
    const recorder = new Recorder();
    subscribe(recorder);
    await append('b', 2);
    await eventually(() => recorder.events.length >= 5, 'history');
    await append('a', 2);
    await eventually(() => recorder.events.length >= 7, 'live');
    expect(recorder.events).toEqual(await log());
  });

  it('begins after the position', async () => {
    await append('a', 1);
    const after = await append('a', 1);
    await append('a', 2);
    const recorder = new Recorder();
    subscribe({ handle: recorder.handle, after });
    await eventually(() => recorder.events.length >= 2, 'what comes after the position');
    expect(idsOf(recorder.events)).toEqual(idsOf((await log()).slice(2)));
  });

  it('also delivers events that must be understood, from history and live, if requested', async () => {
    const ordinary = scene.event('FunctionLabelled');
    const needed = { ...ordinary, metadata: { ...ordinary.metadata, mustUnderstand: true as const } };
    const fresh = (event: typeof needed) => ({ ...event, id: scene.event().id });
    const append = async () => {
      const events = [scene.event('FunctionLabelled'), fresh(needed), scene.event('FunctionEdited')];
      await store.append([{ stream: scene.stream('a'), expected: 'any', events }]);
    };
    await append();
    const asking = new Recorder();
    const other = new Recorder();
    const types = ['FunctionEdited'];
    subscribe({ handle: asking.handle, types, andMustUnderstand: true });
    subscribe({ handle: other.handle, types });
    await eventually(() => asking.events.length >= 2 && other.events.length >= 1, 'history');
    await append();
    await eventually(() => asking.events.length >= 4 && other.events.length >= 2, 'live');
    const [, first, edited, , second, again] = await log();
    expect(asking.events).toEqual([first, edited, second, again]);
    expect(other.events).toEqual([edited, again]);
    expect(first).toMatchObject({ type: 'FunctionLabelled', metadata: { mustUnderstand: true } });
    const alone = { workspaceId: scene.workspaceId, types: ['FunctionLabelled'], from: start, limit: 10 };
    expect((await store.readAll(alone)).length).toBe(4);
    expect(await store.readAll({ types, andMustUnderstand: true, from: start, limit: 4 })).toEqual(asking.events);
  });

  it('begins at the start of the log with -1', async () => {
    await append('a', 2);
    const recorder = new Recorder();
    subscribe({ handle: recorder.handle, after: -1 });
    await eventually(() => recorder.events.length >= 2, 'all there is of the workspace');
    expect(recorder.events).toEqual(await log());
  });

  it('delivers only events that match the filter', async () => {
    const [byType, byCategory] = [new Recorder(), new Recorder()];
    subscribe({ handle: byType.handle, types: ['FunctionCreated'] });
    subscribe({ handle: byCategory.handle, categories: ['webhook'] });
    const created = scene.event('FunctionCreated');
    const webhook = { stream: scene.stream('w', 'webhook'), expected: 'none', events: scene.events(1) } as const;
    await store.append([scene.request('a', 'none', [scene.event(), created, scene.event()]), webhook]);
    await append('a', 1);
    const later = scene.event('FunctionCreated');
    const laterWebhook = { ...webhook, expected: 'any', events: scene.events(1) } as const;
    await store.append([scene.request('a', 'any', [later]), laterWebhook]);
    await eventually(() => [byType, byCategory].every(({ events }) => events.length >= 2), 'two events each');
    expect(idsOf(byType.events)).toEqual([created.id, later.id]);
    expect(idsOf(byCategory.events)).toEqual(idsOf([...webhook.events, ...laterWebhook.events]));
  });

  it('moves past events that the filter excludes', async () => {
    const recorder = new Recorder();
    const subscription = subscribe({ handle: recorder.handle, types: ['FunctionCreated'] });
    const position = await append('a', 3);
    await eventually(() => subscription.position >= position, 'the position behind what was passed over');
    expect(recorder.events).toEqual([]);
    expect(recorder.batches.at(-1)?.caughtUpTo).toBe(subscription.position);
  });

  it('reports with every batch how far it reaches', async () => {
    const recorder = new Recorder();
    const subscription = subscribe(recorder);
    for (const id of ['a', 'b', 'c']) await append(id, 2);
    await eventually(() => recorder.events.length >= 6, 'all events');
    let before = start;
    for (const { events, caughtUpTo } of recorder.batches) {
      for (const { position } of events) {
        expect(position).toBeGreaterThan(before);
        expect(position).toBeLessThanOrEqual(caughtUpTo);
      }
      expect(caughtUpTo).toBeGreaterThan(before);
      before = caughtUpTo;
    }
    await eventually(() => subscription.position === recorder.batches.at(-1)?.caughtUpTo, 'the position');
  });

  it('calls the handler once at a time', async () => {
    const recorder = new Recorder();
    let [running, most] = [0, 0];
    subscribe({
      handle: async (events, caughtUpTo) => {
        running += 1;
        most = Math.max(most, running);
        await takes(5);
        await recorder.handle(events, caughtUpTo);
        running -= 1;
      },
    });
    for (let n = 0; n < 20; n += 1) await append('a', 1);
    await eventually(() => recorder.events.length >= 20, 'all events');
    expect(most).toBe(1);
    expect(recorder.events).toEqual(await log());
  });

  it('delivers the same events again until the handler has succeeded', async () => {
    const [offered, taken] = [new Recorder(), new Recorder()];
    const subscription = subscribe({
      handle: async (events, caughtUpTo) => {
        await offered.handle(events, caughtUpTo);
        if (offered.batches.length < 3) throw new Error('not yet');
        await taken.handle(events, caughtUpTo);
      },
    });
    await append('a', 2);
    await eventually(() => offered.batches.length >= 1, 'the first attempt');
    expect(subscription.position).toBe(start);
    await append('a', 2);
    await eventually(() => taken.events.length >= 4, 'all events');
    expect(taken.events).toEqual(await log());
    const first = idsOf(offered.batches[0]?.events ?? []);
    expect(offered.batches.slice(1, 3).map(({ events }) => idsOf(events).slice(0, first.length))).toEqual([
      first,
      first,
    ]);
  });

  it('also if the handler throws synchronously', async () => {
    const taken = new Recorder();
    let failed = false;
    subscribe({
      handle: (events, caughtUpTo) => {
        if (failed) return taken.handle(events, caughtUpTo);
        failed = true;
        throw new Error('at once');
      },
    });
    await append('a', 1);
    await eventually(() => taken.events.length >= 1, 'the second attempt');
  });

  it('does not let a failing handler delay another subscription', async () => {
    const recorder = new Recorder();
    subscribe({ handle: () => Promise.reject(new Error('never')) });
    subscribe(recorder);
    await append('a', 2);
    await eventually(() => recorder.events.length >= 2, 'the other subscription');
  });

  it('stops once the handler in progress has returned, and delivers nothing afterwards', async () => {
    const recorder = new Recorder();
    const doors: (() => void)[] = [];
    const subscription = subscribe({
      handle: async (events, caughtUpTo) => {
        if (events.length > 0) await new Promise<void>((resolve) => doors.push(resolve));
        await recorder.handle(events, caughtUpTo);
      },
    });
    const position = await append('a', 1);
    await eventually(() => doors.length === 1, 'the handler to be called');
    let stopped = false;
    const stopping = subscription.stop().then(() => {
      stopped = true;
    });
    await append('b', 1);
    expect(stopped).toBe(false);
    for (const open of doors) open();
    await stopping;
    expect(recorder.events).toHaveLength(1);
    expect(subscription.position).toBeGreaterThanOrEqual(position);
    const later = new Recorder();
    subscribe({ handle: later.handle, after: await append('a', 1) });
    await append('a', 1);
    await eventually(() => later.events.length >= 1, 'an event by another subscription');
    expect(recorder.events).toHaveLength(1);
  });

  it('stops during a pause', async () => {
    let calls = 0;
    const subscription = subscribe({
      handle: () => {
        calls += 1;
        return Promise.reject(new Error('never'));
      },
    });
    await append('a', 1);
    await eventually(() => calls >= 1, 'the first attempt');
    await subscription.stop();
    const before = calls;
    let others = 0;
    subscribe({
      handle: () => {
        others += 1;
        return others < 2 ? Promise.reject(new Error('once')) : Promise.resolve();
      },
    });
    // The stopped subscription would have been called again after the same pause.
    await eventually(() => others >= 2, 'the second attempt of another');
    expect(calls).toBe(before);
  });

  it('delivers everything once and in order to subscribers that join, leave, fail and are slow', async () => {
    const shapes = fc.record({
      begins: fc.nat(15),
      types: fc.constantFrom(undefined, ['FunctionEdited'], ['FunctionCreated', 'FunctionDeleted']),
      pauseMs: fc.constantFrom(0, 0, 2, 10),
      failsAt: fc.nat(6),
      stopsAt: fc.integer({ min: 1, max: 9 }),
    });
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 16, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(fc.array(shapes, { minLength: 2, maxLength: 6 }), sizes, async (kinds, counts) => {
        const begin = await store.head();
        const followed: { readonly taken: Recorder; readonly types: readonly string[] | undefined }[] = [];
        const typesWritten = ['FunctionEdited', 'FunctionCreated', 'FunctionDeleted', 'FunctionMoved'];
        for (const [step, count] of counts.entries()) {
          for (const shape of kinds.filter(({ begins }) => begins === step)) {
            followed.push({ taken: dawdle(shape, begin), types: shape.types });
          }
          const events = Array.from({ length: count }, (_, n) => scene.event(typesWritten[n % typesWritten.length]));
          await store.append([scene.request(`${step % 3}`, 'any', events)]);
        }
        const written = await store.readAll({ workspaceId: scene.workspaceId, from: begin, limit: 1_000 });
        for (const { taken, types } of followed) {
          const wanted = written.filter(({ type }) => types?.includes(type) ?? true);
          await eventually(() => taken.events.length >= wanted.length, 'all that match');
          expect(idsOf(taken.events)).toEqual(idsOf(wanted));
        }
        await Promise.all(subscriptions.splice(0).map((subscription) => subscription.stop()));
      }),
      { numRuns: runs(30) },
    );
  }, 120_000);

  /** A subscriber that pauses at every batch, fails once, and once stops and continues with a new subscription. */
  function dawdle(
    shape: {
      readonly types: readonly string[] | undefined;
      readonly pauseMs: number;
      readonly failsAt: number;
      readonly stopsAt: number;
    },
    begin: number,
  ): Recorder {
    const taken = new Recorder();
    const { types, pauseMs, failsAt, stopsAt } = shape;
    let calls = 0;
    const from = (after: number): void => {
      const subscription = subscribe({
        ...(types === undefined ? {} : { types }),
        after,
        handle: async (events, caughtUpTo) => {
          calls += 1;
          if (pauseMs > 0) await takes(pauseMs);
          if (calls === failsAt) throw new Error('this time not');
          await taken.handle(events, caughtUpTo);
          if (calls === stopsAt) void subscription.stop().then(() => from(subscription.position));
        },
      });
    };
    from(begin);
    return taken;
  }

  it('continues where another left off', async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    const subscription = subscribe(first);
    await append('a', 2);
    await eventually(() => first.events.length >= 2, 'the first half');
    await subscription.stop();
    await append('a', 2);
    subscribe({ handle: second.handle, after: subscription.position });
    await eventually(() => second.events.length >= 2, 'the second half');
    expect([...first.events, ...second.events]).toEqual(await log());
  });
}
