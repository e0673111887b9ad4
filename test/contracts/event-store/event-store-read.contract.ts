import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import type { EventStore, ReadAllOptions } from '../../../src/ports/event-store.port.js';
import { idsOf, type OpenEventStore, type OpenedEventStore, revisionsOf, Scene } from './event-store-scene.js';

export function readContract(open: OpenEventStore): void {
  let opened: OpenedEventStore;
  let store: EventStore;
  let scene: Scene;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
    scene = new Scene();
  });
  afterEach(() => opened.close());

  describe('of a stream', () => {
    beforeEach(() => store.append([scene.request('a', 'none', 5)]));

    it.each([
      [{}, [0, 1, 2, 3, 4]],
      [{ from: 2 }, [2, 3, 4]],
      [{ limit: 2 }, [0, 1]],
      [{ from: 1, limit: 2 }, [1, 2]],
      [{ from: 5 }, []],
      [{ direction: 'backward' }, [4, 3, 2, 1, 0]],
      [{ direction: 'backward', from: 2 }, [2, 1, 0]],
      [{ direction: 'backward', limit: 1 }, [4]],
      [{ direction: 'backward', from: 3, limit: 2 }, [3, 2]],
      [{ direction: 'backward', from: 99 }, [4, 3, 2, 1, 0]],
    ] as const)('with %j returns revisions %j', async (options, revisions) => {
      expect(revisionsOf(await store.readStream(scene.stream('a'), options))).toEqual(revisions);
    });

    it('returns nothing for a stream that never existed', async () => {
      expect(await store.readStream(scene.stream('b'))).toEqual([]);
    });

    it('separates the same id in another workspace', async () => {
      expect(await store.readStream(new Scene().stream('a'))).toEqual([]);
    });
  });

  describe('of the log', () => {
    let written: readonly RecordedEvent[];
    const read = (options: Partial<ReadAllOptions> = {}) =>
      store.readAll({ workspaceId: scene.workspaceId, limit: 100, ...options });
    const at = (index: number): number => written.at(index)?.position ?? Number.NaN;

    beforeEach(async () => {
      const other = new Scene();
      for (const n of ['1', '2', '3']) {
        const stream = scene.stream(n, 'webhook');
        await store.append([scene.request(n, 'none', 2)]);
        await store.append([other.request(n, 'none')]);
        await store.append([{ stream, expected: 'none', events: [scene.event('WebhookCreated'), scene.event()] }]);
      }
      const streams = ['1', '2', '3'].flatMap((n) => [scene.stream(n), scene.stream(n, 'webhook')]);
      written = (await Promise.all(streams.map((stream) => store.readStream(stream)))).flat();
    });

    it('returns all events of a workspace in order', async () => {
      expect(await read()).toEqual(written);
    });

    it('returns it backward', async () => {
      expect(await read({ direction: 'backward' })).toEqual(written.toReversed());
    });

    it('begins after a position, or before it when reading backward', async () => {
      expect(await read({ from: at(3) })).toEqual(written.slice(4));
      expect(await read({ from: at(3), direction: 'backward' })).toEqual(written.slice(0, 3).toReversed());
      expect(await read({ from: at(-1) })).toEqual([]);
      expect(await read({ from: at(0), direction: 'backward' })).toEqual([]);
    });

    it('returns only the requested categories', async () => {
      expect(await read({ categories: ['webhook'] })).toEqual(
        written.filter(({ stream }) => stream.startsWith('webhook-')),
      );
      expect(await read({ categories: ['webhook', 'function'] })).toEqual(written);
      expect(await read({ categories: ['web'] })).toEqual([]);
    });

    it('returns only the requested types', async () => {
      const created = written.filter(({ type }) => type === 'WebhookCreated');
      expect(await read({ types: ['WebhookCreated', 'NeverHeardOf'] })).toEqual(created);
      expect(await read({ types: ['WebhookCreated'], categories: ['function'] })).toEqual([]);
    });

    it('returns full pages until the end', async () => {
      const paged: RecordedEvent[] = [];
      const sizes: number[] = [];
      for (let from = at(0) - 1; ; ) {
        const page = await read({ from, limit: 5 });
        sizes.push(page.length);
        paged.push(...page);
        from = page.at(-1)?.position ?? from;
        if (page.length < 5) break;
      }
      expect(sizes).toEqual([5, 5, 2]);
      expect(idsOf(paged)).toEqual(idsOf(written));
    });

    it('returns full pages even if a filter skips many events', async () => {
      expect(await read({ types: ['WebhookCreated'], limit: 3 })).toHaveLength(3);
      expect(await read({ types: ['WebhookCreated'], limit: 3, direction: 'backward' })).toHaveLength(3);
    });

    it('knows the position of the last event', async () => {
      const head = await store.head();
      expect(head).toBeGreaterThanOrEqual(at(-1));
      expect(await read({ from: head })).toEqual([]);
      const [appended] = await store.append([scene.request('more', 'none')]);
      expect(appended?.position).toBeGreaterThan(head);
      expect(await store.head()).toBeGreaterThanOrEqual(appended?.position ?? Number.NaN);
    });
  });

  it('checks that the store can be read and written', async () => {
    await expect(store.check()).resolves.toBeUndefined();
  });
}
