import { randomUUID } from 'node:crypto';
import { EventStoreDbEventStore } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { eventually, idsOf, Recorder, Scene } from '../../contracts/event-store/event-store-scene.js';
import { allOf } from '../../support/all-of.js';
import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';

describe('an EventStoreDB that others use too', () => {
  let server: EventStoreDbTestServer;
  let stores: EventStoreDbEventStore[];
  let errors: string[];
  let scene: Scene;

  beforeEach(async () => {
    server = await new EventStoreDbTestServer().start();
    stores = [];
    errors = [];
    scene = new Scene();
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    await server.stop();
  });

  function open(namespace?: string): EventStoreDbEventStore {
    const onError = (error: unknown) => errors.push(String(error));
    const options = { url: server.url, heartbeatMs: 200, onError };
    const store = new EventStoreDbEventStore(namespace === undefined ? options : { ...options, namespace });
    stores.push(store);
    return store;
  }

  /** Writes to the server directly, like an application that does not know of namespaces. */
  function written(stream: string, data: string, metadata: string, type = 'FunctionCreated'): void {
    const event = { id: randomUUID(), type, data: Buffer.from(data), metadata: Buffer.from(metadata), json: true };
    server.log.write(stream, 'any', [event]);
    server.log.index();
  }

  const ours = () => JSON.stringify(scene.event().metadata);

  /** Everything that the store returns about the log. */
  async function told(store: EventStoreDbEventStore) {
    const recorder = new Recorder();
    const head = await store.head();
    const subscription = store.subscribe({ after: -1, handle: recorder.handle });
    await eventually(() => subscription.position >= head, 'all that there is');
    await subscription.stop();
    const snapshot = await store.snapshot();
    return {
      head,
      stream: idsOf(await store.readStream(scene.stream('a'))),
      all: idsOf(await store.readAll({ limit: 100 })),
      backward: idsOf(await store.readAll({ limit: 100, direction: 'backward' })).toReversed(),
      ofType: idsOf(await store.readAll({ types: ['FunctionEdited'], limit: 100 })),
      ofCategory: idsOf(await store.readAll({ categories: ['function'], limit: 100 })),
      ofWorkspace: idsOf(await store.readAll({ workspaceId: scene.workspaceId, limit: 100 })),
      followed: idsOf(recorder.events),
      exported: idsOf(await allOf(snapshot.events())),
      exportedHead: snapshot.head,
      kept: [...snapshot.keptFrom],
    };
  }

  const nothing = { head: -1, stream: [], all: [], backward: [], ofType: [], ofCategory: [], ofWorkspace: [] };

  it('separates installations with namespaces, and one without', async () => {
    const [none, first, second, similar] = [open(), open('first'), open('second'), open('firs')];
    for (const store of [first, second, similar]) {
      expect(await told(store)).toEqual({ ...nothing, followed: [], exported: [], exportedHead: -1, kept: [] });
    }
    const request = scene.request('a', 'none', 3);
    const [appended] = await first.append([request]);
    const ids = idsOf(request.events);
    const saw = { ofType: ids, ofCategory: ids, ofWorkspace: ids, followed: ids, exported: ids };
    const all = { stream: ids, all: ids, backward: ids, ...saw, kept: [] };
    expect(await told(first)).toEqual({ head: appended?.position, ...all, exportedHead: appended?.position });
    for (const store of [second, similar]) {
      expect(await told(store)).toEqual({ ...nothing, followed: [], exported: [], exportedHead: -1, kept: [] });
    }
    expect(await told(none)).toMatchObject({ stream: [], all: [], ofType: [], followed: [], exported: [] });
    // The same stream name in several namespaces causes no conflict.
    for (const store of [second, similar, none]) {
      expect(await store.append([scene.request('a', 'none')])).toMatchObject([{ revision: 0 }]);
    }
    expect((await told(first)).head).toBe(appended?.position);
    expect((await told(none)).all).toHaveLength(1);
    expect(server.log.records.map(({ stream }) => stream).filter((name) => !name.startsWith('$'))).toEqual([
      ...[0, 1, 2].map(() => `first.${scene.stream('a')}`),
      ...['second.', 'firs.', ''].map((prefix) => `${prefix}${scene.stream('a')}`),
    ]);
  });

  it('prunes the stream of one namespace only', async () => {
    const [first, second] = [open('first'), open('second')];
    for (const store of [first, second]) await store.append([scene.request('a', 'none', 4)]);
    await first.truncate(scene.stream('a'), 3);
    expect(await first.readStream(scene.stream('a'))).toHaveLength(1);
    expect(await second.readStream(scene.stream('a'))).toHaveLength(4);
    expect((await told(first)).kept).toEqual([[scene.stream('a'), 3]]);
    expect((await told(first)).exported).toHaveLength(1);
    expect((await told(second)).kept).toEqual([]);
    expect((await told(second)).exported).toHaveLength(4);
  });

  it('shows the head of a namespace however much others write', async () => {
    const [quiet, busy] = [open('quiet'), open('busy')];
    const heads: (number | undefined)[] = [];
    for (let round = 0; round < 4; round += 1) {
      const [appended] = await quiet.append([scene.request(`a${round}`, 'none', 2)]);
      heads.push(appended?.position, appended?.position);
      expect(await quiet.head()).toBe(appended?.position);
      await busy.append([scene.request(`b${round}`, 'none', 30)]);
      expect(await quiet.head()).toBe(appended?.position);
      await busy.append([scene.request(`c${round}`, 'none', round)].filter(({ events }) => events.length > 0));
      expect(await quiet.head()).toBe(appended?.position);
      expect(await open('quiet').head()).toBe(appended?.position);
    }
    expect(await open('empty').head()).toBe(-1);
  });

  it('reports no position beyond the head of a namespace to its subscribers, however much others write', async () => {
    const [quiet, busy] = [open('quiet'), open('busy')];
    await quiet.append([scene.request('a', 'none', 2)]);
    const head = await quiet.head();
    const follow = (store = quiet) => {
      const recorder = new Recorder();
      return { recorder, subscription: store.subscribe({ after: -1, types: ['Never'], handle: recorder.handle }) };
    };
    const first = follow();
    await eventually(() => first.subscription.position >= head, 'the head');
    // More events than the server skips before it reports a checkpoint.
    for (let n = 0; n < 11; n += 1) await busy.append([scene.request('b', 'any', 100)]);
    const [second, other] = [follow(), follow(open('quiet'))];
    await eventually(() => second.subscription.position >= head && other.subscription.position >= head, 'the head');
    const reads = () => server.calls.filter((call) => call === 'read').length;
    const before = reads();
    await eventually(() => reads() >= before + 8, 'a few heartbeats');
    for (const { recorder, subscription } of [first, second, other]) {
      const told = Math.max(...recorder.batches.map(({ caughtUpTo }) => caughtUpTo));
      expect([told, subscription.position]).toEqual([head, head]);
    }
    const [appended] = await quiet.append([scene.request('a', 1)]);
    for (const { subscription } of [first, second, other]) {
      await eventually(() => subscription.position === appended?.position, 'the new head');
      await subscription.stop();
    }
  });

  it.each([
    ['without a namespace', undefined],
    ['with a namespace', 'shop'],
  ])('skips events of others: %s', async (_, namespace) => {
    const prefix = namespace === undefined ? '' : `${namespace}.`;
    const store = open(namespace);
    const recorder = new Recorder();
    const subscription = store.subscribe({ after: -1, handle: recorder.handle });
    const request = scene.request('a', 'none');
    await store.append([request]);
    const garbage = '\u0000 { no';
    const streams = ['order-1', 'orders', 'order-12.lines', `${scene.stream('b')}`, 'other.order-12.lines', 'a.b-c.d'];
    for (const stream of streams) {
      written(`${prefix}${stream}`, garbage, '');
      written(`${prefix}${stream}`, '{}', '{"at":1}');
      written(`${prefix}${stream}`, '[1]', garbage);
      written(`${prefix}${stream}`, '"text"', 'null');
    }
    written('other.function-ws.x', garbage, ours());
    written(`$$${prefix}order-12.lines`, garbage, '', '$metadata');
    const last = scene.request('a', 0);
    const [appended] = await store.append([last]);
    const ids = [...idsOf(request.events), ...idsOf(last.events)];
    await eventually(() => subscription.position >= (appended?.position ?? 0), 'the last event');
    await subscription.stop();
    const saw = await told(store);
    expect([saw.all, saw.backward, saw.ofType, saw.followed, saw.exported]).toEqual([ids, ids, ids, ids, ids]);
    expect(idsOf(recorder.events)).toEqual(ids);
    expect(await store.readStream(scene.stream('b'))).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['data that is no JSON', 'no', (metadata: object) => metadata, 'its data is not a JSON object'],
    ['data that is no object', '7', (metadata: object) => metadata, 'its data is not a JSON object'],
    ['no time', '{}', (metadata: object) => ({ ...metadata, at: undefined }), "its metadata .* \\('at'\\)"],
    ['no actor', '{}', (metadata: object) => ({ ...metadata, actor: null }), "its metadata .* \\('actor'\\)"],
  ])(
    'delivers an unreadable event of its own to those who do not need its content: %s',
    async (_, data, metadata, why) => {
      const store = open('shop');
      await store.append([scene.request('a', 'none', 2)]);
      written(`shop.${scene.stream('a')}`, data, JSON.stringify(metadata(scene.event().metadata)), 'FunctionPublished');
      const { position } = server.log.records.findLast(({ stream }) => stream.startsWith('shop.')) ?? {};
      const named = `Event 2 (FunctionPublished) of stream ${scene.stream('a')}, at position ${position}, cannot be read: `;
      const sentence = new RegExp(`${named.replaceAll(/[().]/g, '\\$&')}${why}\\.$`);
      const last = scene.request('a', 2);
      await store.append([last]);
      const recorder = new Recorder();
      const subscription = store.subscribe({ after: -1, handle: recorder.handle });
      await eventually(() => recorder.events.length >= 4, 'the event behind it');
      await subscription.stop();
      const snapshot = await store.snapshot();
      for (const found of [
        await store.readStream(scene.stream('a')),
        await store.readAll({ limit: 100 }),
        await allOf(snapshot.events()),
        recorder.events,
      ]) {
        expect(found.map(({ revision, type }) => [revision, type])[2]).toEqual([2, 'FunctionPublished']);
        expect(found.map((event) => event.stream)).toEqual(Array(4).fill(scene.stream('a')));
        const [unreadable, readable] = found.slice(2);
        for (const use of [() => unreadable?.data, () => unreadable?.metadata, () => ({ ...unreadable })]) {
          expect(use).toThrow(sentence);
        }
        expect(readable?.data).toEqual(last.events[0]?.data);
      }
      expect(errors).toEqual([]);
    },
  );

  it('refuses to record an event that would not be recognised as its own', async () => {
    const store = open('shop');
    const stray = { ...scene.event(), metadata: { at: 'now' } as unknown as ReturnType<Scene['event']>['metadata'] };
    await expect(store.append([scene.request('a', 'none', [stray])])).rejects.toThrow(
      'does not name the workspace and the command',
    );
    for (const stream of ['a.b-ws.x', '$a-ws.x', 'orders', 'order-1']) {
      await expect(store.append([{ ...scene.request('a', 'none'), stream }])).rejects.toThrow('is not a stream name');
    }
    expect(await store.head()).toBe(-1);
  });
});
