import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { EventStoreDbEventStore } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { EventStoreUnavailable, WrongExpectedRevision } from '../../../src/ports/event-store.port.js';
import { idsOf, Scene } from '../../contracts/event-store/event-store-scene.js';
import { noFaults } from '../../support/eventstoredb/faults.js';
import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';

const deadlineMs = 1_000;

const repetition = fc.record({ by: fc.nat(1), id: fc.constantFrom('a', 'b'), which: fc.nat(7) });

describe('appends to an EventStoreDB that fails', () => {
  let server: EventStoreDbTestServer;
  let store: EventStoreDbEventStore;
  let scene: Scene;

  beforeEach(async () => {
    server = await new EventStoreDbTestServer().start();
    store = new EventStoreDbEventStore({ url: server.url, deadlineMs });
    scene = new Scene();
    // The first call connects, which can take longer than the short deadline on a busy machine, so it may fail once.
    const warm = scene.request('warm', 'none');
    await store.append([warm]).catch(() => store.append([warm]));
  });
  afterEach(async () => {
    await store.close();
    await server.stop();
  });

  const recorded = async (id: string) => idsOf(await store.readStream(scene.stream(id)));
  const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  async function expectUnavailable(work: Promise<unknown>): Promise<void> {
    const error = await failure(work);
    expect(error).toBeInstanceOf(EventStoreUnavailable);
    expect(String(error)).toMatch(/The event store is not available: [^.]+([\d.]+ [^.]+)?\.$/);
  }

  it('are recorded once if the answer is lost and they are repeated', async () => {
    const request = scene.request('a', 'none', 2);
    server.faults.dropAnswers = 1;
    await expectUnavailable(store.append([request]));
    expect(await store.append([request])).toMatchObject([{ revision: 1 }]);
    expect(await recorded('a')).toEqual(idsOf(request.events));
  });

  it('share one stream of messages, and each gets its own answer', async () => {
    const [batches, asked] = [server.batches, server.calls.length];
    await store.append([scene.request('taken', 'none')]);
    const answers = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => store.append([scene.request(n === 7 ? 'taken' : `a${n}`, 'none')])),
    );
    expect(answers.flatMap(({ status: kind }, n) => (kind === 'rejected' ? [n] : []))).toEqual([7]);
    expect(answers[7]).toMatchObject({ reason: { stream: scene.stream('taken'), expected: 'none', actual: 0 } });
    expect(server.batches).toBe(batches);
    // Only the refused append looks for its events in the stream.
    expect(server.calls.slice(asked).filter((call) => call !== 'batch append')).toEqual(['read']);
    expect(server.calls.slice(asked)).toHaveLength(32);
  });

  it('need one call to begin a new stream and to continue another', async () => {
    const asked = server.calls.length;
    await store.append([scene.request('a', 'none', 3)]);
    await store.append([scene.request('a', 2, 2)]);
    expect(server.calls.slice(asked)).toEqual(['batch append', 'batch append']);
  });

  it('with expected `any` need one call if the end of their stream is known, and block nobody', async () => {
    await store.append([scene.request('journal', 'any')]);
    const asked = server.calls.length;
    for (const count of [1, 2, 3]) await store.append([scene.request('journal', 'any', count)]);
    expect(server.calls.slice(asked)).toEqual(['batch append', 'batch append', 'batch append']);
    await Promise.all(Array.from({ length: 20 }, () => store.append([scene.request('journal', 'any', 2)])));
    expect(await store.append([scene.request('journal', 'any')])).toMatchObject([{ revision: 1 + 6 + 40 }]);
    expect(await store.readStream(scene.stream('journal'))).toHaveLength(48);
  });

  it('are recognised as repetitions without a question by the process that wrote or read them', async () => {
    const [first, second] = [scene.request('a', 'none', 3), scene.request('a', 'any', 2)];
    const answers = await store.append([first, second]);
    const asked = server.calls.length;
    for (const expected of ['none', 'any', 2, 7] as const) {
      expect(await store.append([first, second].map((request) => ({ ...request, expected })))).toEqual(answers);
    }
    expect(server.calls.slice(asked)).toEqual([]);
    const other = new EventStoreDbEventStore({ url: server.url, deadlineMs });
    await other.readStream(scene.stream('a'));
    const read = server.calls.length;
    expect(await other.append([first, second])).toEqual(answers);
    expect(server.calls.slice(read)).toEqual([]);
    await other.close();
  });

  it('are recorded once by several processes that repeat one another at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(repetition, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
        async (groups) => {
          const [one, many] = [new Scene(), [store, new EventStoreDbEventStore({ url: server.url, deadlineMs })]];
          // Each event is appended to one stream only, because the server remembers just the last stream of an event
          // id.
          const known = (id: string, which: number) => eventsOf.get(`${id}/${which}`) ?? [];
          const places = ['a', 'b'].flatMap((id) => Array.from({ length: 8 }, (_, which) => [id, which] as const));
          const eventsOf = new Map(places.map(([id, which]) => [`${id}/${which}`, one.events(1 + (which % 2))]));
          const answered = new Map<string, unknown>();
          for (const group of groups) {
            await Promise.all(
              group.map(async ({ by, id, which }) => {
                const events = known(id, which);
                const answer = await many[by]?.append([{ stream: one.stream(id), expected: 'any', events }]);
                expect(answered.get(`${id}/${which}`) ?? answer).toEqual(answer);
                answered.set(`${id}/${which}`, answer);
              }),
            );
            // The server forgets event ids, as after a restart.
            server.log.forget();
          }
          for (const id of ['a', 'b']) {
            const wanted = places.filter(([of, which]) => of === id && answered.has(`${id}/${which}`));
            expect(idsOf(await store.readStream(one.stream(id))).toSorted()).toEqual(
              idsOf(wanted.flatMap(([, which]) => known(id, which))).toSorted(),
            );
          }
          await many[1]?.close();
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);

  it('in progress together are recorded once if their stream breaks and they are repeated', async () => {
    const requests = Array.from({ length: 12 }, (_, n) => scene.request(`a${n}`, 'none', 2));
    server.faults.dropAnswers = 1;
    const first = await Promise.allSettled(requests.map((request) => store.append([request])));
    expect(first.some(({ status: kind }) => kind === 'rejected')).toBe(true);
    for (const answer of first)
      if (answer.status === 'rejected') await expectUnavailable(Promise.reject(answer.reason));
    const again = await Promise.all(requests.map((request) => store.append([request])));
    expect(again.map(([one]) => one?.revision)).toEqual(requests.map(() => 1));
    for (const [n, { events }] of requests.entries()) expect(await recorded(`a${n}`)).toEqual(idsOf(events));
  });

  it('are sent one by one to a server without batches', async () => {
    await store.close();
    server.faults.noBatches = true;
    store = new EventStoreDbEventStore({ url: server.url, deadlineMs });
    const requests = ['a', 'b', 'c'].map((id) => scene.request(id, 'none'));
    const asked = server.calls.length;
    const answers = await Promise.all(requests.map((request) => store.append([request])));
    expect(answers.map(([one]) => one?.revision)).toEqual([0, 0, 0]);
    expect(server.calls.slice(asked).filter((call) => call === 'append')).toHaveLength(3);
    await expect(store.append([scene.request('a', 'none')])).rejects.toMatchObject({ actual: 0 });
  });

  it('that are large are sent alone, and a refused one does not affect the others', async () => {
    const large = (length: number) => [scene.event('FunctionEdited', { text: 'x'.repeat(length) })];
    const asked = server.calls.length;
    const [refused, taken, small] = await Promise.allSettled([
      store.append([scene.request('a', 'none', large(1_200_000))]),
      store.append([scene.request('b', 'none', large(600_000))]),
      store.append([scene.request('c', 'none')]),
    ]);
    expect([refused.status, taken.status, small.status]).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(server.calls.slice(asked).toSorted()).toEqual(['append', 'append', 'batch append']);
  });

  it('continue in the middle of a list that is repeated', async () => {
    const list = [scene.request('a', 'none'), scene.request('b', 'any'), scene.request('c', 'none')];
    await store.append(list.slice(0, 1));
    server.faults.dropAnswers = 1;
    await expectUnavailable(store.append(list.slice(1)));
    expect(await recorded('c')).toEqual([]);
    server.log.forget();
    expect(await store.append(list)).toMatchObject([{ revision: 0 }, { revision: 0 }, { revision: 0 }]);
    for (const id of ['a', 'b', 'c']) expect(await recorded(id)).toHaveLength(1);
  });

  it.each([
    ['slow', { slowMs: 10_000 }],
    ['silent', { silent: true }],
  ])('are given up in time if the server is %s, and can be repeated', async (_, faults) => {
    const request = scene.request('a', 'none');
    Object.assign(server.faults, faults);
    const began = Date.now();
    await expectUnavailable(store.append([request]));
    expect(Date.now() - began).toBeLessThan(deadlineMs * 2 + 1_000);
    await expectUnavailable(store.readStream(scene.stream('a')));
    await expectUnavailable(store.check());
    Object.assign(server.faults, noFaults());
    expect(await store.append([request])).toMatchObject([{ revision: 0 }]);
    expect(await recorded('a')).toHaveLength(1);
  });

  it('succeed if only the answer was slow, as a read shows', async () => {
    const request = scene.request('a', 'none');
    const [first, second] = await Promise.all([store.append([request]), store.append([request])]);
    expect(second).toEqual(first);
  });

  it('are refused while the server is away, and work when it is back', async () => {
    const request = scene.request('a', 'none');
    await server.stop();
    await expectUnavailable(store.append([request]));
    await expectUnavailable(store.head());
    await expectUnavailable(store.check());
    await server.start();
    expect(await store.append([request])).toMatchObject([{ revision: 0 }]);
  });

  it.each([
    ['not ready', status.UNAVAILABLE, 'Server Is Not Ready', /starting or electing its leader/],
    ['too busy', status.UNAVAILABLE, 'Server Is Too Busy', /too busy/],
    ['out of time', status.DEADLINE_EXCEEDED, 'Deadline exceeded', /did not respond in time/],
    ['timed out', status.ABORTED, 'Operation timed out: Commit phase timeout.', /did not respond in time/],
    ['closed to this user', status.PERMISSION_DENIED, 'Access Denied', /refuses the user/],
    ['without a leader', status.UNKNOWN, 'No leader info available in response', /failed/],
  ])('explain what to do if the server is %s', async (_, code, details, sentence) => {
    server.faults.refuse = { code, details };
    const request = scene.request('a', 'none');
    await expectUnavailable(store.append([request]));
    await expect(store.append([request])).rejects.toThrow(sentence);
    server.faults.refuse = undefined;
    expect(await store.append([request])).toMatchObject([{ revision: 0 }]);
  });

  it('follow the leader', async () => {
    const leader = await new EventStoreDbTestServer(server.log).start();
    server.faults.leader = { host: '127.0.0.1', port: leader.port };
    expect(await store.append([scene.request('a', 'none')])).toMatchObject([{ revision: 0 }]);
    expect(leader.calls).toContain('batch append');
    expect(await recorded('a')).toHaveLength(1);
    await leader.stop();
    server.faults.leader = undefined;
    await expectUnavailable(store.append([scene.request('a', 0)]));
    expect(await store.append([scene.request('a', 0)])).toMatchObject([{ revision: 1 }]);
  });

  it('do not follow redirects between nodes forever', async () => {
    server.faults.leader = { host: '127.0.0.1', port: server.port };
    await expectUnavailable(store.append([scene.request('a', 'none')]));
    await expectUnavailable(store.readStream(scene.stream('a')));
    server.faults.leader = undefined;
    expect(await recorded('a')).toEqual([]);
  });

  it('are refused and not recorded if another process was first', async () => {
    server.faults.wrongVersions = 1;
    await expect(store.append([scene.request('a', 'none')])).rejects.toThrow(WrongExpectedRevision);
    expect(await recorded('a')).toEqual([]);
  });

  it('accept no id twice at the end of a stream, where the server does not check', async () => {
    const request = scene.request('a', 'none', 2);
    const answer = await store.append([request]);
    expect(await store.append([{ ...request, expected: 1 }])).toEqual(answer);
    expect(await recorded('a')).toHaveLength(2);
  });

  it("are refused whole if they exceed the server's maximum", async () => {
    const half = 'x'.repeat(600_000);
    const events = [scene.event('FunctionEdited', { half }), scene.event('FunctionEdited', { half })];
    const error = await failure(store.append([scene.request('a', 'none', events)]));
    expect(error).not.toBeInstanceOf(EventStoreUnavailable);
    expect(String(error)).toMatch(/2 events .* larger than EventStoreDB accepts/);
    expect(await recorded('a')).toEqual([]);
  });

  it('end when the store is closed', async () => {
    await store.close();
    await expect(store.append([scene.request('a', 'none')])).rejects.toThrow('The event store is closed');
  });
});
