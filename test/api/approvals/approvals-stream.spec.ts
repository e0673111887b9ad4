// Second tier.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { takes } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import { keyOf, otherWorkspace, type Person, person } from '../../support/people.js';
import { startProcesses } from '../../support/processes.js';
import { readStream, type StreamReader } from '../../support/servers/event-stream.js';
import { narrowedSite } from '../../support/sites/narrowed-site.js';

let app: TestApp;
let viewer: Person;
beforeAll(async () => {
  app = await startApp();
  viewer = await person(app, 'viewer');
}, 60_000);
afterAll(() => app.close());

const readers: StreamReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const listen = async (headers: Record<string, string> = {}, at: TestApp = app) => {
  const reader = await readStream(at, { ...bearer(at.ownerKey), ...headers });
  readers.push(reader);
  return reader;
};

let made = 0;
const create = async (at: TestApp = app, key?: string) =>
  (await at.call('automations/createFunction', { name: `fn ${made++}`, code: 'return 1' }, key)).body;
const ask = async (functionId: string, at: TestApp = app, key?: string, capabilities = ['email']) =>
  (await at.call('automations/setFunctionCapabilities', { id: functionId, capabilities }, key)).body.pendingChange;
const propose = async (at: TestApp = app, key?: string) => ask((await create(at, key)).id, at, key);
const approve = ({ id, hash }: { id: string; hash: string }, at: TestApp = app) =>
  at.call('approvals/approvePendingChange', { id, hash });
/** The card as the stream sends it, without the fields that depend on the reader and the time. */
const getCard = async (id: string, at = app) => {
  const { context: _, risks: __, ...card } = (await at.call('approvals/getPendingChange', { id })).body;
  return card;
};
const brief = (reader: StreamReader) => reader.events.map(({ type, data }) => [type, data.id]);

/** The positions of the events that the stream must report. */
const recorded = async (at: TestApp, after = -1) => {
  const all = await at.app
    .get(EventStore)
    .readAll({ categories: ['pendingChange'], ...(after < 0 ? {} : { from: after }), limit: 10_000 });
  return all.filter(({ type }) => type !== 'PendingChangeApproved').map(({ position }) => String(position));
};

describe('the stream', () => {
  it('reports changes of cards, with the card', async () => {
    const reader = await listen();
    expect([reader.status, reader.headers.get('content-type'), reader.headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream',
      'no-store',
    ]);
    expect(reader.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const card = await propose();
    expect(await reader.read(1)).toEqual([
      { id: expect.stringMatching(/^\d+$/), type: 'pending-change.proposed', data: card },
    ]);
    await approve(card);
    await reader.read(2);
    expect(reader.events[1]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      type: 'pending-change.applied',
      data: await getCard(card.id),
    });
    expect(reader.events[1]?.data.decidedBy.name).toBe((await app.call('workspace/getWorkspace')).body.me.name);
    expect(Number(reader.events[1]?.id)).toBeGreaterThan(Number(reader.events[0]?.id));
  });

  it('reports a rejection with its reason, a replacement, and a change that could not be applied', async () => {
    const reader = await listen();
    const rejected = await propose();
    await app.call('approvals/rejectPendingChange', { id: rejected.id, reason: 'no' });
    const fn = await create();
    const older = await ask(fn.id);
    const newer = await ask(fn.id, app, undefined, ['env']);
    await app.call('automations/deleteFunction', { id: fn.id });
    expect((await approve(newer)).body.code).toBe('pending-change-moved');
    await reader.read(6);
    expect(brief(reader)).toEqual([
      ['pending-change.proposed', rejected.id],
      ['pending-change.rejected', rejected.id],
      ['pending-change.proposed', older.id],
      ['pending-change.proposed', newer.id],
      ['pending-change.replaced', older.id],
      ['pending-change.failed', newer.id],
    ]);
    expect(reader.events[1]?.data).toMatchObject({ status: 'rejected', reason: 'no' });
    const reason = expect.stringMatching(/changed after this card was made \(function deleted: .*, by Owner on /);
    expect(reader.events[5]?.data).toMatchObject({ status: 'failed', reason });
  });

  it.each([
    ['no Last-Event-ID', {}],
    ['an empty one', { 'last-event-id': '' }],
  ])('begins with new events, and reports its position at once, after %s', async (_, headers) => {
    await propose();
    const reader = await listen(headers);
    await eventually(async () => reader.lastId(), Boolean);
    const missed = await listen({ 'last-event-id': reader.lastId() });
    await reader.close();
    const card = await propose();
    await missed.read(1);
    expect(brief(missed)).toEqual([['pending-change.proposed', card.id]]);
    const later = await listen({ 'last-event-id': reader.lastId() });
    await later.read(1);
    expect([brief(later), reader.events]).toEqual([brief(missed), []]);
  });

  it('reports the same at any later time, including the former state of a decided card', async () => {
    const live = await listen();
    const card = await propose();
    await approve(card);
    await live.read(2);
    const [first] = live.events;
    const late = await listen({ 'last-event-id': String(Number(first?.id) - 1) });
    await late.read(2);
    expect(late.events).toEqual(live.events);
    const resumed = await listen({ 'last-event-id': String(first?.id) });
    await resumed.read(1);
    expect(resumed.events).toEqual(live.events.slice(1));
  });

  it('agrees with the lists', async () => {
    const reader = await listen();
    const wanted = 20;
    for (let n = 0; n < wanted; n++) void propose();
    for (let seen = 0; seen < wanted; seen++) {
      await reader.read(seen + 1);
      const { data } = reader.events[seen] ?? {};
      expect((await getCard(data.id)).id).toBe(data.id);
    }
  });

  it('is open to Viewers and read-only keys, like the list', async () => {
    const readOnly = await keyOf(app, { kind: 'automation', readOnly: true });
    const all = await Promise.all([viewer.key, readOnly].map((key) => listen(bearer(key))));
    const card = await propose();
    for (const reader of all) {
      await reader.read(1);
      expect(brief(reader)).toEqual([['pending-change.proposed', card.id]]);
    }
  });

  it('never reports events of another workspace, live or from history', async () => {
    const other = await otherWorkspace(app);
    const [own, theirs] = [await listen(), await listen(bearer(other.ownerKey))];
    const foreign = await propose(app, other.ownerKey);
    const card = await propose();
    await Promise.all([own.read(1), theirs.read(1)]);
    expect([brief(own), brief(theirs)]).toEqual([
      [['pending-change.proposed', card.id]],
      [['pending-change.proposed', foreign.id]],
    ]);
    const history = await listen({ ...bearer(other.ownerKey), 'last-event-id': '0' });
    await propose();
    await propose(app, other.ownerKey);
    await Promise.all([history.read(2), theirs.read(2)]);
    expect(brief(history)).toEqual(brief(theirs));
  });

  it("keeps cards of a site's functions from agents that may not use them, live and from history", async () => {
    const { card: kept, project: projectId, fn: functionId } = await narrowedSite(app);
    const agent = await keyOf(app, { kind: 'agent', agentId: (await agentWith(app)).id });
    const from = await app.app.get(EventStore).head();
    const [live, history] = await Promise.all(
      [from, 0].map((id) => listen({ ...bearer(agent), 'last-event-id': String(id) })),
    );
    await app.call('site/setFunctionCapabilities', { projectId, functionId, capabilities: ['email'] });
    const open = await propose();
    const isOpen = ({ data }: { data: { id: string } }) => data.id === open.id;
    for (const reader of [live, history]) {
      await eventually(async () => reader?.events.some(isOpen), Boolean);
      expect(reader?.events.filter(({ data }) => data.target.id === functionId)).toEqual([]);
    }
    expect(live?.events.map(({ data }) => data.id)).toEqual([open.id]);
    const owner = await listen({ 'last-event-id': '0' });
    await eventually(async () => owner.events.some(isOpen), Boolean);
    expect(owner.events.map(({ data }) => data.id)).toContain(kept);
  });
});

describe('the stream, interrupted and resumed', () => {
  /**
   * Reads like a client whose connection breaks again and again, each time after the next number of events in `cuts`.
   */
  const readWithCuts = async (at: () => TestApp, from: number, cuts: readonly number[], wanted: number) => {
    const told: string[] = [];
    let last = String(from);
    for (let round = 0; told.length < wanted; round++) {
      const reader = await listen({ 'last-event-id': last }, at()).catch(() => undefined);
      if (reader?.status !== 200) {
        // A client pauses before it reconnects.
        await takes(10);
        continue;
      }
      const count = Math.min(cuts[round % cuts.length] ?? 1, wanted - told.length);
      await Promise.race([reader.read(count, 60_000), reader.ended]);
      await reader.close();
      told.push(...reader.events.map(({ id }) => id));
      last = reader.lastId() || last;
    }
    return told;
  };

  it('reports every event once and in order, however often it is interrupted under load', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
        async (bursts, cuts) => {
          const from = await app.app.get(EventStore).head();
          const total = bursts.reduce((sum, size) => sum + size, 0) * 2;
          const writing = (async () => {
            for (const size of bursts) {
              const cards = await Promise.all(Array.from({ length: size }, () => propose()));
              await Promise.all(cards.map((card) => approve(card)));
            }
          })();
          const told = await readWithCuts(() => app, from, cuts, total);
          await writing;
          expect(told).toEqual(await recorded(app, from));
        },
      ),
      { numRuns: 8 },
    );
  }, 120_000);

  it('reports every event once over a restart of the service', async () => {
    let own = await startApp();
    try {
      const from = await own.app.get(EventStore).head();
      const writing = (async () => {
        for (let n = 0; n < 24; n++) {
          const [a, b] = await Promise.all([propose(own), propose(own)]);
          await approve(a, own);
          await own.call('approvals/rejectPendingChange', { id: b.id });
          if (n === 12) own = await own.restart();
        }
      })();
      const told = await readWithCuts(() => own, from, [3, 20, 1, 7], 96);
      await writing;
      expect(told).toEqual(await recorded(own, from));
      expect(new Set(told).size).toBe(96);
    } finally {
      await own.close();
    }
  }, 120_000);

  it('moves from a long history to live events without a gap', async () => {
    const from = await app.app.get(EventStore).head();
    await Promise.all(Array.from({ length: 70 }, () => propose()));
    const reader = await listen({ 'last-event-id': String(from) });
    const more = await Promise.all(Array.from({ length: 10 }, () => propose()));
    await reader.read(80);
    expect(reader.events.map(({ id }) => id)).toEqual(await recorded(app, from));
    expect(brief(reader).map(([, id]) => id)).toEqual(expect.arrayContaining(more.map(({ id }) => id)));
  }, 60_000);
});

describe('the stream refuses', () => {
  it.each([
    ['nobody', {}, 401, 'key-missing'],
    ['an unknown key', { authorization: 'Bearer csk_none' }, 401, 'key-invalid'],
    ['a cookie of no session', { cookie: `countersign=${'a'.repeat(32)}` }, 401, 'key-missing'],
  ])('the stream is refused to %s', async (_, headers, status, code) => {
    const reply = await app.send('GET', '/api/v1/approvals/stream', undefined, headers);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it.each(['x', '-1', '1.5', '1e3', '0x1', '99999999999999999999', '9007199254740991', '1, 2'])(
    'an unknown Last-Event-ID: %s',
    async (id) => {
      const reply = await app.send('GET', '/api/v1/approvals/stream', undefined, {
        ...bearer(app.ownerKey),
        'last-event-id': id,
      });
      expect([reply.status, reply.body.code]).toEqual([400, 'last-event-id-invalid']);
    },
  );

  it('another method', async () => {
    const { status, headers } = await app.call('approvals/stream');
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('the stream ends', () => {
  const within = async (reader: StreamReader, ms: number, key: string) => {
    const began = performance.now();
    await reader.ended;
    expect(performance.now() - began).toBeLessThan(ms);
    const again = await app.send('GET', '/api/v1/approvals/stream', undefined, bearer(key));
    expect([again.status, again.body.code]).toEqual([401, 'key-invalid']);
  };

  it('within two seconds when its key is revoked, and reports nothing afterwards', async () => {
    const { key, keyId } = await person(app, 'editor');
    const [reader, other] = [await listen(bearer(key)), await listen()];
    await app.call('workspace/revokeApiKey', { id: keyId });
    await within(reader, 2_000, key);
    await propose();
    await other.read(1);
    expect(reader.events).toEqual([]);
  });

  it('within two seconds when its key expires', async () => {
    const expiresAt = new Date(Date.now() + 5_000).toISOString();
    const key = await keyOf(app, { kind: 'automation', expiresAt });
    await within(await listen(bearer(key)), 7_000, key);
  });

  it('within two seconds when its member is removed', async () => {
    const { id, key } = await person(app, 'viewer');
    const reader = await listen(bearer(key));
    await app.call('workspace/removeMember', { id });
    await within(reader, 2_000, key);
  });

  it('when the service stops, without delaying it', async () => {
    const own = await startApp();
    const all = await Promise.all(Array.from({ length: 5 }, () => listen({}, own)));
    await propose(own);
    await Promise.all(all.map((reader) => reader.read(1)));
    const began = performance.now();
    await own.close();
    await Promise.all(all.map(({ ended }) => ended));
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('the stream in several processes', () => {
  it('reports at one process what happens at another, after the lists of both show it', async () => {
    const processes = await startProcesses();
    try {
      await processes.start('projections,sagas,runner,scheduler,mail-in');
      const [one, two] = await Promise.all([processes.start('api'), processes.start('api')]);
      const reader = await listen({}, one);
      for (let n = 0; n < 5; n++) {
        const card = await propose(two);
        await reader.read(n + 1);
        expect(reader.events[n]?.data.id).toBe(card.id);
        for (const at of [one, two]) {
          expect(await getCard(card.id, at)).toEqual(card);
        }
      }
      const resumed = await listen({ 'last-event-id': String(reader.events[1]?.id) }, two);
      await resumed.read(3);
      expect(resumed.events).toEqual(reader.events.slice(2));
    } finally {
      for (const reader of readers.splice(0)) await reader.close();
      await processes.close();
    }
  }, 90_000);
});
