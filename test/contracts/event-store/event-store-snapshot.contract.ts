import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { type EventStore, EventStoreUnavailable, type LogSnapshot } from '../../../src/ports/event-store.port.js';
import { allOf } from '../../support/all-of.js';
import { type OpenEventStore, type OpenedEventStore, revisionsOf, Scene } from './event-store-scene.js';

export function snapshotContract(open: OpenEventStore): void {
  let opened: OpenedEventStore;
  let store: EventStore;
  let scene: Scene;
  let snapshot: LogSnapshot | undefined;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
    scene = new Scene();
    snapshot = undefined;
  });
  afterEach(async () => {
    await snapshot?.close();
    await opened.close();
  });

  const take = async (...workspace: [string?]) => {
    snapshot = await store.snapshot(...workspace);
    return snapshot;
  };
  const whole = ({ limit = 10_000 } = {}) => store.readAll({ workspaceId: scene.workspaceId, limit });

  it('has every event of the workspace in log order, and none of another', async () => {
    const other = new Scene();
    await store.append([scene.request('a', 'none', 2), other.request('a', 'none', 2), scene.request('b', 'none', 3)]);
    await store.append([scene.request('a', 1, 1)]);
    const taken = await take(scene.workspaceId);
    expect(await allOf(taken.events())).toEqual(await whole());
    expect([taken.head, taken.keptFrom.size]).toEqual([await store.head(), 0]);
  });

  it('has the events of every workspace if none is named', async () => {
    const other = new Scene();
    await store.append([scene.request('a', 'none'), other.request('a', 'none')]);
    const streams = new Set((await allOf((await take()).events())).map(({ stream }) => stream));
    expect([streams.has(scene.stream('a')), streams.has(other.stream('a'))]).toEqual([true, true]);
  });

  it('can be read twice, over many pages', async () => {
    await store.append([scene.request('a', 'none', 700), scene.request('b', 'none', 5)]);
    const taken = await take(scene.workspaceId);
    expect(await allOf(taken.events())).toEqual(await whole());
    expect(await allOf(taken.events())).toHaveLength(705);
  });

  it('does not contain later appends', async () => {
    await store.append([scene.request('a', 'none', 2)]);
    const taken = await take(scene.workspaceId);
    await store.append([scene.request('a', 1, 2), scene.request('b', 'none')]);
    expect(await allOf(taken.events())).toEqual(await whole({ limit: 2 }));
  });

  it('leaves out pruned events, and tells from which revision each stream is retained', async () => {
    await store.append([scene.request('a', 'none', 5), scene.request('b', 'none', 2), scene.request('c', 'none', 2)]);
    await store.truncate(scene.stream('a'), 2);
    await store.truncate(scene.stream('a'), 3);
    await store.truncate(scene.stream('c'), 2);
    const taken = await take(scene.workspaceId);
    expect((await allOf(taken.events())).map(({ stream, revision }) => [stream, revision])).toEqual([
      [scene.stream('a'), 3],
      [scene.stream('a'), 4],
      [scene.stream('b'), 0],
      [scene.stream('b'), 1],
    ]);
    expect(taken.keptFrom).toEqual(
      new Map([
        [scene.stream('a'), 3],
        [scene.stream('c'), 2],
      ]),
    );
  });

  it('still contains events that are pruned later', async () => {
    await store.append([scene.request('a', 'none', 600)]);
    await store.truncate(scene.stream('a'), 2);
    const taken = await take(scene.workspaceId);
    const before: RecordedEvent[] = [];
    for await (const event of taken.events()) {
      if (before.length === 0) {
        await store.append([scene.request('a', 599)]);
        await store.truncate(scene.stream('a'), 600);
      }
      before.push(event);
    }
    for (const events of [before, await allOf(taken.events())]) {
      expect(revisionsOf(events)).toEqual(Array.from({ length: 598 }, (_, n) => n + 2));
    }
    expect(taken.keptFrom).toEqual(new Map([[scene.stream('a'), 2]]));
  });

  it('is empty for an unknown workspace, and may be closed twice', async () => {
    const taken = await take(scene.workspaceId);
    expect([await allOf(taken.events()), taken.keptFrom.size]).toEqual([[], 0]);
    await taken.close();
    await taken.close();
  });

  it('cannot be taken of a closed store', async () => {
    await store.close();
    await expect(store.snapshot()).rejects.toThrow(EventStoreUnavailable);
  });
}
