import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import type { Subscriber, Subscription } from '../../../src/ports/event-store.port.js';
import { takes } from '../../support/clocks/delays.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { eventually, Recorder, Scene } from './event-store-scene.js';

describe('event store: embedded, live', () => {
  let directory: EmbeddedDirectory;
  let store: EmbeddedEventStore;
  let scene: Scene;
  let errors: unknown[];
  const subscribe = (handle: Subscriber['handle'], options: Partial<Subscriber> = {}): Subscription =>
    store.subscribe({ after: -1, handle, ...options });

  beforeEach(() => {
    directory = new EmbeddedDirectory();
    errors = [];
    store = new EmbeddedEventStore({ directory: directory.path, onError: (error) => errors.push(error) });
    scene = new Scene();
  });
  afterEach(async () => {
    await store.close();
    directory.remove();
  });

  /**
   * Subscribes and appends until the subscription gets an event before its append resolves. Returns the event's
   * position.
   */
  async function follow(handle: Subscriber['handle'], options: Partial<Subscriber> = {}): Promise<number> {
    let upTo = -1;
    subscribe((events, caughtUpTo) => {
      upTo = caughtUpTo;
      return handle(events, caughtUpTo);
    }, options);
    for (;;) {
      const [appended] = await store.append([scene.request('before', 'any')]);
      if (appended?.position === upTo) return upTo;
    }
  }

  it('delivers an event before its append is answered', async () => {
    const order: string[] = [];
    await follow(async (events) => {
      if (events.length > 0) order.push('handled');
    });
    order.length = 0;
    for (let n = 0; n < 3; n += 1) {
      await store.append([scene.request('a', 'any')]);
      order.push('answered');
    }
    expect(order).toEqual(['handled', 'answered', 'handled', 'answered', 'handled', 'answered']);
  });

  it('delivers nothing of a list that failed', async () => {
    const recorder = new Recorder();
    const after = await follow(recorder.handle);
    const bad = store.append([scene.request('a', 'none', 2), scene.request('b', 7)]);
    const good = store.append([scene.request('c', 'none')]);
    await expect(bad).rejects.toMatchObject({ actual: -1 });
    await good;
    expect(recorder.events.filter(({ position }) => position > after)).toEqual(
      await store.readStream(scene.stream('c')),
    );
  });

  it('delivers from memory the same as a read from disk', async () => {
    const recorder = new Recorder();
    const after = await follow(recorder.handle);
    const data = { date: new Date(0), gone: undefined, list: [undefined, 1], ü: '\ud800' };
    await store.append([scene.request('a', 'none', [scene.event('FunctionEdited', data)])]);
    data.list.push(2);
    const events = recorder.events.filter(({ position }) => position > after);
    expect(events).toHaveLength(1);
    expect(events).toEqual(await store.readStream(scene.stream('a')));
    expect(events[0]?.data).toStrictEqual({
      date: '1970-01-01T00:00:00.000Z',
      list: [null, 1],
      ü: '\ud800',
    });
  });

  it('loses nothing if a handler is slower than the writers', async () => {
    const recorder = new Recorder();
    subscribe(async (events, caughtUpTo) => {
      await takes(30);
      await recorder.handle(events, caughtUpTo);
    });
    for (let n = 0; n < 60; n += 1) await store.append([scene.request(`${n % 7}`, 'any', 100)]);
    await eventually(() => recorder.events.length >= 6_000, 'everything');
    expect(recorder.events.map(({ position }) => position)).toEqual(Array.from({ length: 6_000 }, (_, n) => n));
    expect(Math.max(...recorder.batches.map(({ events }) => events.length))).toBeLessThanOrEqual(1_000);
  });

  it('reports progress over filtered events once per commit, and nothing while idle', async () => {
    const recorder = new Recorder();
    const after = await follow(recorder.handle, { types: ['Never'] });
    recorder.batches.length = 0;
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.append([scene.request(`${n}`, 'none')])));
    await store.append([scene.request('a', 'none', 3)]);
    await store.append([scene.request('a', 'any')]);
    await eventually(() => recorder.batches.length >= 3, 'the last one');
    expect(recorder.batches.map(({ caughtUpTo }) => caughtUpTo - after)).toEqual([20, 23, 24]);
  });

  it('reports progress through a long history without matches only at its end', async () => {
    for (let n = 0; n < 45; n += 1) await store.append([scene.request('a', 'any', 1_000)]);
    const recorder = new Recorder();
    subscribe(recorder.handle, { types: ['Never'] });
    await eventually(() => recorder.batches.length > 0, 'the end');
    expect(recorder.batches).toEqual([{ events: [], caughtUpTo: 44_999 }]);
  });

  it('does not deliver events that are pruned before the handler gets to them', async () => {
    const recorder = new Recorder();
    const handling = Promise.withResolvers<void>();
    const pruned = Promise.withResolvers<void>();
    subscribe(async (events, caughtUpTo) => {
      if (events.length > 0) handling.resolve();
      await pruned.promise;
      await recorder.handle(events, caughtUpTo);
    });
    await store.append([scene.request('a', 'none')]);
    await handling.promise;
    await store.append([scene.request('a', 0, 3)]);
    await store.truncate(scene.stream('a'), 3);
    pruned.resolve();
    await eventually(() => recorder.events.length >= 2, 'what is left');
    expect(recorder.events.map(({ revision }) => revision)).toEqual([0, 3]);
  });

  it('waits longer after every failure, up to a limit, and logs why', async () => {
    const times: number[] = [];
    subscribe(async () => {
      times.push(performance.now());
      if (times.length < 4) throw new Error(`attempt ${times.length}`);
    });
    await store.append([scene.request('a', 'none')]);
    await eventually(() => times.length === 4, 'the fourth attempt');
    const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    for (const [n, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(100 * 2 ** n - 5);
    expect(errors.map(String)).toEqual(['Error: attempt 1', 'Error: attempt 2', 'Error: attempt 3']);
  });

  describe('with another process', () => {
    let other: EmbeddedEventStore;
    beforeEach(() => {
      other = new EmbeddedEventStore({ directory: directory.path });
    });
    afterEach(() => other.close());

    it('delivers what the other appended', async () => {
      const recorder = new Recorder();
      subscribe(recorder.handle);
      await store.append([scene.request('a', 'none')]);
      await other.append([scene.request('b', 'none', 2), scene.request('a', 0)]);
      await eventually(() => recorder.events.length >= 4, 'the events of the other');
      expect(recorder.events).toEqual(await store.readAll({ limit: 100 }));
    });

    it('sees at once that the other has appended to a stream', async () => {
      await store.append([scene.request('a', 'none')]);
      await other.append([scene.request('a', 0)]);
      await expect(store.append([scene.request('a', 0)])).rejects.toMatchObject({ actual: 1 });
      expect(await store.append([scene.request('a', 1)])).toEqual([{ revision: 2, position: 2 }]);
      expect(await other.append([scene.request('b', 'none')])).toEqual([{ revision: 0, position: 3 }]);
    });

    it('has one order if both append at the same time', async () => {
      const [here, there] = [new Recorder(), new Recorder()];
      subscribe(here.handle);
      const following = other.subscribe({ after: -1, handle: there.handle });
      for (let n = 0; n < 50; n += 1) {
        await Promise.all([
          store.append([scene.request('a', 'any'), scene.request(`${n}`, 'none')]),
          other.append([scene.request('a', 'any', 2)]),
        ]);
      }
      await eventually(() => here.events.length >= 200 && there.events.length >= 200, 'all events in both');
      await following.stop();
      const log = await store.readAll({ limit: 1_000 });
      expect(here.events).toEqual(log);
      expect(there.events).toEqual(log);
      expect(log.map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    });
  });
});
