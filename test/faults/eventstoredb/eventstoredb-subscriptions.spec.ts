import { randomUUID } from 'node:crypto';
import { EventStoreDbEventStore } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { eventually, idsOf, Recorder, Scene } from '../../contracts/event-store/event-store-scene.js';
import { takes } from '../../support/clocks/delays.js';
import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';

const heartbeatMs = 200;
const deadlineMs = 1_000;

describe('subscriptions to an EventStoreDB that fails', () => {
  let server: EventStoreDbTestServer;
  let store: EventStoreDbEventStore;
  let scene: Scene;
  const errors: unknown[] = [];

  beforeEach(async () => {
    server = await new EventStoreDbTestServer().start();
    const onError = (error: unknown) => errors.push(error);
    store = new EventStoreDbEventStore({ url: server.url, deadlineMs, heartbeatMs, onError });
    scene = new Scene();
  });
  afterEach(async () => {
    await store.close();
    await server.stop();
    errors.length = 0;
  });

  const follow = (recorder = new Recorder(), after = -1) => {
    const { workspaceId } = scene;
    return { recorder, subscription: store.subscribe({ after, workspaceId, handle: recorder.handle }) };
  };
  const log = async () => idsOf(await store.readAll({ workspaceId: scene.workspaceId, limit: 10_000 }));

  async function live(): Promise<void> {
    await eventually(() => server.subscriptions > 0, 'the live stream');
    await heartbeats(1);
  }

  /** Waits for heartbeats: while the log is idle, the subscription reads its end at an interval. */
  function heartbeats(count: number): Promise<void> {
    const reads = server.calls.length + count;
    return eventually(() => server.calls.length >= reads, `${count} heartbeats`);
  }

  /** Writes events as another process with a working connection would. */
  function writeElsewhere(count: number, given: object = {}): void {
    for (let n = 0; n < count; n += 1) {
      const { id, type, data, metadata } = scene.event('FunctionEdited', given);
      const bytes = (value: object) => Buffer.from(JSON.stringify(value));
      const event = { id, type, data: bytes(data), metadata: bytes(metadata), json: true };
      server.log.write(scene.stream('elsewhere'), 'any', [event]);
    }
    server.log.index();
  }

  const ours = ({ stream }: { readonly stream: string }) => !stream.startsWith('$');

  it('lose and duplicate nothing if their streams are dropped again and again', async () => {
    const { recorder } = follow();
    for (let n = 0; n < 40; n += 1) {
      await store.append([scene.request(`${n % 3}`, 'any', 2)]);
      if (n % 5 === 4) server.dropSubscriptions();
    }
    await store.append([scene.request('last', 'any')]);
    await eventually(() => recorder.events.length >= 81, 'all events');
    expect(idsOf(recorder.events)).toEqual(await log());
  });

  it('reconnect when the server is back', async () => {
    const { recorder } = follow();
    await store.append([scene.request('a', 'any', 3)]);
    await eventually(() => recorder.events.length >= 3, 'the first events');
    await server.stop();
    await eventually(() => errors.length > 0, 'the loss to be noticed');
    writeElsewhere(2);
    await server.start();
    await eventually(() => recorder.events.length >= 5, 'the events written meanwhile');
    expect(idsOf(recorder.events)).toEqual(await log());
  });

  it('notice silence and continue from where they were', async () => {
    const { recorder } = follow();
    writeElsewhere(2);
    await eventually(() => recorder.events.length >= 2, 'the first events');
    await live();
    server.faults.silent = true;
    writeElsewhere(3);
    // The server answers again, but never repeats what it withheld from the stream.
    server.faults.silent = false;
    await log();
    expect(recorder.events).toHaveLength(2);
    await eventually(() => recorder.events.length >= 5, 'the events that were kept silent');
    writeElsewhere(1);
    await eventually(() => recorder.events.length >= 6, 'the last event');
    expect(idsOf(recorder.events)).toEqual(await log());
  });

  it('notice a server that answers nothing at all', async () => {
    const { recorder } = follow();
    writeElsewhere(1);
    await eventually(() => recorder.events.length >= 1, 'the first event');
    server.faults.silent = true;
    writeElsewhere(1);
    await eventually(() => errors.length > 0, 'the silence to be noticed');
    expect(String(errors[0])).toMatch(/did not respond within 1000 ms/);
    server.faults.silent = false;
    await eventually(() => recorder.events.length >= 2, 'the second event');
    expect(idsOf(recorder.events)).toEqual(await log());
  });

  it('accept the silence of an idle log', async () => {
    const { subscription } = follow();
    writeElsewhere(1);
    await eventually(() => subscription.position >= (server.log.records.at(-1)?.position ?? 0), 'the end of the log');
    await live();
    const streams = server.calls.filter((call) => call === 'subscribe').length;
    await heartbeats(5);
    expect(server.calls.filter((call) => call === 'subscribe')).toHaveLength(streams);
    expect(errors).toEqual([]);
  });

  it('reach the end of a log that has only filtered events, and miss nothing right behind it', async () => {
    for (let round = 0; round < 5; round += 1) {
      writeElsewhere(30);
      const types = ['FunctionDeleted'];
      const first = store.subscribe({ after: -1, types, handle: async () => {} });
      await eventually(() => first.position >= (server.log.records.at(-1)?.position ?? 0), 'the end of the log');
      await first.stop();
      const wanted = scene.event('FunctionDeleted');
      await store.append([{ stream: scene.stream(`${round}`), expected: 'none', events: [wanted] }]);
      const recorder = new Recorder();
      const second = store.subscribe({ after: first.position, types, handle: recorder.handle });
      await eventually(() => recorder.events.length >= 1, 'the event right behind');
      expect(idsOf(recorder.events)).toEqual([wanted.id]);
      await second.stop();
    }
  });

  it('slow down the server for a slow handler', async () => {
    writeElsewhere(150, { text: 'x'.repeat(200_000) });
    const recorder = new Recorder();
    let open = (): void => undefined;
    const door = new Promise<void>((resolve) => {
      open = resolve;
    });
    store.subscribe({
      after: -1,
      workspaceId: scene.workspaceId,
      handle: async (events, caughtUpTo) => {
        await door;
        await recorder.handle(events, caughtUpTo);
      },
    });
    // Time in which a subscription without backpressure would read everything.
    await takes(800);
    expect(server.sent + server.answered).toBeLessThan(120);
    open();
    await eventually(() => recorder.events.length >= 150, 'all events');
    expect(idsOf(recorder.events)).toEqual(await log());
  });

  describe('however many there are', () => {
    const many = 60;
    const filters = (n: number) =>
      n % 3 === 0 ? { types: ['FunctionEdited', `Type${n}`] } : n % 3 === 1 ? { types: [`Type${n}`] } : {};
    const messages = () => server.sent + server.answered;
    const end = () => server.log.records.at(-1)?.position ?? 0;

    async function followMany() {
      const recorders = Array.from({ length: many }, () => new Recorder());
      const subscriptions = recorders.map(({ handle }, n) => store.subscribe({ after: -1, ...filters(n), handle }));
      await eventually(() => subscriptions.every(({ position }) => position >= end()), 'the end of the log');
      await live();
      return { recorders, subscriptions };
    }

    it('share one stream, with one message for an event, and one per heartbeat while idle', async () => {
      const { recorders, subscriptions } = await followMany();
      expect(server.subscriptions).toBe(1);
      const [before, written] = [messages(), 200];
      for (let n = 0; n < written; n += 20) {
        writeElsewhere(20);
        await takes(5);
      }
      const ours = server.log.records.findLast(({ stream }) => !stream.startsWith('$'))?.position ?? 0;
      await eventually(() => subscriptions.every(({ position }) => position >= ours), 'the new events');
      expect(messages() - before).toBeLessThanOrEqual(1.1 * written);
      for (const [n, { events }] of recorders.entries()) expect(events).toHaveLength(n % 3 === 1 ? 0 : written);
      await eventually(() => subscriptions.every(({ position }) => position >= end()), 'the end of the log');
      const [atRest, reads] = [messages(), server.calls.length];
      await heartbeats(5);
      expect(messages() - atRest).toBe(server.calls.length - reads);
      expect(server.calls.slice(reads)).toEqual(Array(server.calls.length - reads).fill('read'));
      expect(server.calls.length - reads).toBeLessThanOrEqual(6);
    });

    it('read history once, together', async () => {
      writeElsewhere(2_500);
      const before = messages();
      const { recorders } = await followMany();
      for (const [n, { events }] of recorders.entries()) expect(events).toHaveLength(n % 3 === 1 ? 0 : 2_500);
      expect(messages() - before).toBeLessThanOrEqual(2_500 + 200);
    });
  });

  describe('whose server goes away', () => {
    const goesAway = async () => {
      await server.stop();
      await takes(50);
      await server.start();
    };

    it('before they have begun', async () => {
      await server.stop();
      const { recorder } = follow();
      await eventually(() => errors.length > 0, 'the loss to be noticed');
      await server.start();
      writeElsewhere(3);
      await eventually(() => recorder.events.length >= 3, 'all events');
      expect(idsOf(recorder.events)).toEqual(await log());
    });

    it('during the read of history', async () => {
      writeElsewhere(250, { text: 'x'.repeat(40_000) });
      const recorder = new Recorder();
      let pages = 0;
      const handle = async (...batch: Parameters<typeof recorder.handle>) => {
        pages += 1;
        if (pages === 2) await goesAway();
        await recorder.handle(...batch);
      };
      store.subscribe({ after: -1, workspaceId: scene.workspaceId, handle });
      await eventually(() => recorder.events.length >= 250, 'all events');
      expect(idsOf(recorder.events)).toEqual(server.log.records.filter(ours).map(({ id }) => id));
    });

    it('just after they have joined the live stream', async () => {
      writeElsewhere(10);
      const followed = Array.from({ length: 5 }, () => follow());
      await eventually(() => server.calls.includes('subscribe'), 'the live stream');
      await goesAway();
      writeElsewhere(10);
      for (const { recorder } of followed) {
        await eventually(() => recorder.events.length >= 20, 'all events');
        expect(idsOf(recorder.events)).toEqual(await log());
      }
    });
  });

  it('learn the end of the log without a heartbeat when they join the live stream', async () => {
    const patient = new EventStoreDbEventStore({ url: server.url, heartbeatMs: 60_000 });
    const first = patient.subscribe({ after: -1, handle: async () => undefined });
    await eventually(() => server.subscriptions > 0, 'the live stream');
    const own = { id: randomUUID(), type: '$stats', data: Buffer.from('{}'), metadata: new Uint8Array(), json: true };
    server.log.write('$stats', 'any', [own]);
    server.log.index();
    const end = server.log.records.at(-1)?.position ?? 0;
    const second = patient.subscribe({ after: first.position, types: ['Never'], handle: async () => undefined });
    await eventually(() => second.position >= end, 'the end of the log');
    await patient.close();
  });

  it('skip events of others, also those of a requested type', async () => {
    const strange = {
      id: randomUUID(),
      type: 'Strange',
      data: Buffer.from('no JSON'),
      metadata: Buffer.from(''),
      json: false,
    };
    const writeStrange = () => {
      server.log.write('order-others.1', 'any', [{ ...strange, id: randomUUID() }]);
      server.log.index();
    };
    writeStrange();
    const wanting = new Recorder();
    const wants = store.subscribe({ after: -1, types: ['Strange'], handle: wanting.handle });
    const { recorder } = follow();
    writeElsewhere(2);
    await eventually(() => recorder.events.length >= 2, 'the events in history');
    await live();
    writeStrange();
    writeElsewhere(2);
    await eventually(() => recorder.events.length >= 4, 'the events behind it');
    const end = recorder.events.at(-1)?.position ?? 0;
    await eventually(() => wants.position >= end, 'the other to come as far');
    expect([wanting.events, errors]).toEqual([[], []]);
  });

  it('continue from a position that the server has scavenged', async () => {
    writeElsewhere(5);
    const { recorder } = follow(new Recorder(), (server.log.records[2]?.position ?? 0) + 1);
    writeElsewhere(2);
    const wanted = server.log.records.slice(3).filter(ours);
    await eventually(() => recorder.events.length >= wanted.length, 'all events after it');
    expect(idsOf(recorder.events)).toEqual(wanted.map(({ id }) => id));
  });

  it("begin again if the server does not know the live stream's position", async () => {
    const { recorder } = follow();
    writeElsewhere(2);
    await eventually(() => recorder.events.length >= 2, 'the first events');
    await live();
    server.faults.refuse = { code: 3, details: 'Trying to read from an invalid position.' };
    server.dropSubscriptions();
    await eventually(() => errors.length >= 2, 'the refusal of the position');
    server.faults.refuse = undefined;
    writeElsewhere(2);
    await eventually(() => recorder.events.length >= 4, 'the next events');
    expect(idsOf(recorder.events)).toEqual(await log());
  });

  it('do not disconnect other calls when they are stopped', async () => {
    const followed = Array.from({ length: 10 }, () => follow().subscription);
    await store.append([scene.request('a', 'none')]);
    await Promise.all(followed.map((subscription) => subscription.stop()));
    await eventually(() => server.subscriptions === 0, 'the streams to end');
    expect(await store.append([scene.request('a', 0)])).toMatchObject([{ revision: 1 }]);
  });
});
