import { type EventStore, WrongExpectedRevision } from '../../../src/ports/event-store.port.js';
import { type OpenEventStore, type OpenedEventStore, revisionsOf, Scene } from './event-store-scene.js';

/** Requires more than the port does: pruned events are missing from `readAll` and subscriptions at once. */
export function truncateContract(open: OpenEventStore): void {
  let opened: OpenedEventStore;
  let store: EventStore;
  let scene: Scene;
  let stream: string;
  const remaining = async () => revisionsOf(await store.readStream(stream));

  beforeEach(async () => {
    opened = await open();
    store = opened.store;
    scene = new Scene();
    stream = scene.stream('a');
    await store.append([scene.request('a', 'none', 5), scene.request('b', 'none', 5)]);
  });
  afterEach(() => opened.close());

  it('removes events below the revision, and nothing else', async () => {
    await store.truncate(stream, 3);
    expect(await remaining()).toEqual([3, 4]);
    expect(revisionsOf(await store.readStream(stream, { direction: 'backward' }))).toEqual([4, 3]);
    expect(revisionsOf(await store.readStream(stream, { from: 1, limit: 1 }))).toEqual([3]);
    expect(await store.readStream(scene.stream('b'))).toHaveLength(5);
  });

  it('keeps counting revisions', async () => {
    await store.truncate(stream, 3);
    expect(await store.append([scene.request('a', 4)])).toMatchObject([{ revision: 5 }]);
    expect(await remaining()).toEqual([3, 4, 5]);
  });

  it('keeps counting revisions even if everything was pruned', async () => {
    await store.truncate(stream, 5);
    expect(await remaining()).toEqual([]);
    const refused = store.append([scene.request('a', 'none')]);
    await expect(refused).rejects.toThrow(WrongExpectedRevision);
    await expect(refused).rejects.toMatchObject({ actual: 4 });
    expect(await store.append([scene.request('a', 4)])).toMatchObject([{ revision: 5 }]);
    expect(await remaining()).toEqual([5]);
  });

  it('may be repeated and never restores anything', async () => {
    await store.truncate(stream, 3);
    await store.truncate(stream, 3);
    await store.truncate(stream, 1);
    expect(await remaining()).toEqual([3, 4]);
  });

  it('lasts over a restart', async () => {
    await store.truncate(stream, 5);
    store = await opened.reopen();
    expect(await remaining()).toEqual([]);
    expect(await store.append([scene.request('a', 4)])).toMatchObject([{ revision: 5 }]);
  });

  it('does nothing for a stream that never existed', async () => {
    await store.truncate(scene.stream('c'), 3);
    expect(await store.append([scene.request('c', 'none', 5)])).toMatchObject([{ revision: 4 }]);
    expect(await store.readStream(scene.stream('c'))).toHaveLength(5);
  });

  it('answers a repetition of a remaining append as it did the first time', async () => {
    const request = scene.request('a', 4, 2);
    const answer = await store.append([request]);
    await store.truncate(stream, 5);
    expect(await store.append([request])).toEqual(answer);
  });
}
