import { type EventStore, WrongExpectedRevision } from '../../../src/ports/event-store.port.js';
import { idsOf, type OpenEventStore, type OpenedEventStore, revisionsOf, Scene } from './event-store-scene.js';

export function appendContract(open: OpenEventStore): void {
  let opened: OpenedEventStore;
  let store: EventStore;
  let scene: Scene;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
    scene = new Scene();
  });
  afterEach(() => opened.close());

  it('counts revisions from 0 without gaps and positions upwards', async () => {
    const [first] = await store.append([scene.request('a', 'none', 2)]);
    const [second] = await store.append([scene.request('a', 1, 3)]);
    expect([first?.revision, second?.revision]).toEqual([1, 4]);
    const events = await store.readStream(scene.stream('a'));
    expect(revisionsOf(events)).toEqual([0, 1, 2, 3, 4]);
    expect(events.map(({ position }) => position)).toEqual(
      [...new Set(events.map(({ position }) => position))].sort((a, b) => a - b),
    );
    expect([events[1]?.position, events[4]?.position]).toEqual([first?.position, second?.position]);
  });

  it('returns exactly what was written', async () => {
    const event = scene.event('FunctionCreated', {
      text: 'ä „quoted" \u0000 \u2028 🖋',
      numbers: [0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER],
      nothing: null,
      deep: { list: [{ yes: true }, []], '': 'empty key' },
    });
    const [appended] = await store.append([scene.request('a', 'none', [event])]);
    const [read] = await store.readStream(scene.stream('a'));
    expect(read).toEqual({ ...event, stream: scene.stream('a'), revision: 0, position: appended?.position });
  });

  it('records the values given, not later changes of them by the writer', async () => {
    const data = { name: 'before' };
    const answered = store.append([scene.request('a', 'none', [scene.event('FunctionCreated', data)])]);
    data.name = 'after';
    await answered;
    expect((await store.readStream(scene.stream('a')))[0]?.data).toEqual({ name: 'before' });
  });

  it('with none is refused for a stream that has events, and the error states its revision', async () => {
    await store.append([scene.request('a', 'none', 2)]);
    const refused = await store.append([scene.request('a', 'none')]).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WrongExpectedRevision);
    expect(refused).toMatchObject({ stream: scene.stream('a'), expected: 'none', actual: 1 });
    expect(await store.readStream(scene.stream('a'))).toHaveLength(2);
  });

  it.each([0, 2, 7])('with revision %i is refused for a stream at revision 1', async (expected) => {
    await store.append([scene.request('a', 'none', 2)]);
    await expect(store.append([scene.request('a', expected)])).rejects.toMatchObject({ expected, actual: 1 });
    expect(await store.readStream(scene.stream('a'))).toHaveLength(2);
  });

  it('reports -1 for an empty stream', async () => {
    await expect(store.append([scene.request('a', 3)])).rejects.toMatchObject({ actual: -1 });
  });

  it('with any appends after whatever is there', async () => {
    await store.append([scene.request('a', 'any')]);
    expect(await store.append([scene.request('a', 'any')])).toMatchObject([{ revision: 1 }]);
  });

  it('lets only one of many writers win that expect the same revision', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => store.append([scene.request('a', 'none')])),
    );
    const lost = answers.filter((answer) => answer.status === 'rejected');
    expect(lost).toHaveLength(7);
    for (const { reason } of lost) expect(reason).toBeInstanceOf(WrongExpectedRevision);
    expect(await store.readStream(scene.stream('a'))).toHaveLength(1);
  });

  it('appends a list in order and answers each request', async () => {
    const requests = [scene.request('a', 'none', 2), scene.request('b', 'none'), scene.request('a', 1)];
    const answers = await store.append(requests);
    expect(answers.map(({ revision }) => revision)).toEqual([1, 0, 2]);
    const [first, second, third] = answers.map(({ position }) => position);
    expect(first).toBeLessThan(second ?? -1);
    expect(second).toBeLessThan(third ?? -1);
  });

  it('stops a list at the first failure, so only its beginning is recorded', async () => {
    await store.append([scene.request('taken', 'none')]);
    const list = [scene.request('a', 'none'), scene.request('taken', 'none'), scene.request('b', 'none')];
    await expect(store.append(list)).rejects.toMatchObject({ stream: scene.stream('taken'), actual: 0 });
    const recorded = await store.readStream(scene.stream('a'));
    expect([[], idsOf(list[0]?.events ?? [])]).toContainEqual(idsOf(recorded));
    expect(await store.readStream(scene.stream('taken'))).toHaveLength(1);
    expect(await store.readStream(scene.stream('b'))).toEqual([]);
  });

  it('completes a list of which only the beginning was recorded', async () => {
    const reservation = scene.request('a', 'none');
    const [first] = await store.append([reservation]);
    const answers = await store.append([reservation, scene.request('b', 'none')]);
    expect(answers).toEqual([first, expect.objectContaining({ revision: 0 })]);
    expect(await store.readStream(scene.stream('a'))).toHaveLength(1);
  });

  it.each(['none', 'any', 0, 2, 99] as const)(
    'answers a repetition expecting %s as it did the first time',
    async (expected) => {
      await store.append([scene.request('a', 'none')]);
      const request = scene.request('a', 0, 2);
      const answer = await store.append([request]);
      await store.append([scene.request('a', 2)]);
      expect(await store.append([{ ...request, expected }])).toEqual(answer);
      expect(await store.readStream(scene.stream('a'))).toHaveLength(4);
    },
  );

  it('records a patient append like any other, also if an urgent one overtakes its wait', async () => {
    const alone = store.append([scene.request('a', 'none')], { mayBatch: true });
    expect(await alone).toMatchObject([{ revision: 0 }]);
    const [patient, urgent] = await Promise.all([
      store.append([scene.request('a', 0)], { mayBatch: true }),
      store.append([scene.request('b', 'none')]),
    ]);
    expect([patient[0]?.revision, urgent[0]?.revision]).toEqual([1, 0]);
    expect(revisionsOf(await store.readStream(scene.stream('a')))).toEqual([0, 1]);
  });

  it('records only once what is appended twice at the same time', async () => {
    const request = scene.request('a', 'none', 2);
    const [first, second] = await Promise.all([store.append([request]), store.append([request])]);
    expect(second).toEqual(first);
    expect(await store.readStream(scene.stream('a'))).toHaveLength(2);
  });

  it('answers a repetition after a restart', async () => {
    const request = scene.request('a', 'none', 2);
    const answer = await store.append([request]);
    store = await opened.reopen();
    expect(await store.append([request])).toEqual(answer);
    expect(await store.readStream(scene.stream('a'))).toHaveLength(2);
  });

  it('never records an id twice in a stream', async () => {
    const request = scene.request('a', 'none', 2);
    await store.append([request]);
    const mixed = [...request.events.slice(1), scene.event()];
    await expect(store.append([scene.request('a', 0, mixed)])).rejects.toThrow(WrongExpectedRevision);
    expect(await store.readStream(scene.stream('a'))).toHaveLength(2);
  });

  it('does not take existing ids for a repetition if they are not consecutive in the stream', async () => {
    const { events } = scene.request('a', 'none', 3);
    await store.append([{ stream: scene.stream('a'), expected: 'none', events }]);
    for (const others of [events.toReversed(), events.filter((_, n) => n !== 1)]) {
      await expect(store.append([scene.request('a', 'none', others)])).rejects.toThrow(WrongExpectedRevision);
    }
  });

  it('retains everything acknowledged over a restart', async () => {
    const request = scene.request('a', 'none', 3);
    await store.append([request]);
    const before = await store.readStream(scene.stream('a'));
    store = await opened.reopen();
    expect(await store.readStream(scene.stream('a'))).toEqual(before);
    expect(await store.append([scene.request('a', 2)])).toMatchObject([{ revision: 3 }]);
  });
}
