import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { EventStoreInMemory } from '../../../test/support/given/event-store-in-memory.js';
import { uncounted } from '../../../test/support/given/uncounted.js';
import { SystemIds } from '../../adapters/system/system-ids.adapter.js';
import type { Environment } from '../../config/environment.js';
import { derivedUuid } from '../../kernel/event/derived-id.js';
import { EventStoreUnavailable, WrongExpectedRevision } from '../../ports/event-store.port.js';
import { systemActor } from '../operation/calls.js';
import { ReadModels } from '../read-models/read-models.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { Journal, type JournalEntry, refusingWhenAway } from './journal.js';

const stream = 'thing-ws_1.a';
const by = { workspaceId: 'ws_1', actor: systemActor('spec'), operation: 'spec' };
const done = (n: number) => ({ type: 'ThingDone', data: { n }, once: `thing/${n}` });
const entry = (n: number, more: Partial<JournalEntry> = {}): JournalEntry => ({
  stream,
  by,
  events: [done(n)],
  ...more,
});

let store: EventStoreInMemory;
let clock: MadeUpClock;
let readYourWrites: ReadYourWrites;
let journal: Journal;
beforeEach(() => {
  store = new EventStoreInMemory();
  clock = new MadeUpClock();
  const things = { name: 'things', version: 1, collections: {}, reads: { types: ['ThingDone'] }, changes: () => [] };
  const models = new ReadModels([things]);
  readYourWrites = new ReadYourWrites(clock, models, {} as Environment);
  journal = new Journal(store, clock, readYourWrites, new SystemIds(clock), uncounted);
});

const recorded = () => store.readStream(stream);
const numbers = async () => (await recorded()).map(({ data }) => (data as { n: number }).n);

describe('a journal', () => {
  it('records the events of an entry together, with the time, but without the text that their ids are derived from', async () => {
    const written = await journal.append(entry(1, { events: [done(1), done(2)] }));
    const metadata = {
      ...by,
      commandId: derivedUuid('thing/1'),
      correlationId: derivedUuid('thing/1'),
      causationId: null,
      at: '2026-01-01T00:00:00.000Z',
    };
    const events = [1, 2].map((n) => ({ id: derivedUuid(`thing/${n}`), type: 'ThingDone', data: { n }, metadata }));
    expect(written).toEqual({ revision: 1, position: 1, events });
    expect(await recorded()).toEqual(
      events.map((event, revision) => ({ ...event, stream, revision, position: revision })),
    );
  });

  it('keeps the given command, correlation, cause and time', async () => {
    const ids = { commandId: 'run_1', correlationId: 'c', causationId: 'e', at: '2025-12-31T23:59:59.000Z' };
    await journal.append(entry(1, { by: { ...by, ...ids } }));
    expect((await recorded())[0]?.metadata).toMatchObject(ids);
  });

  it('records an event once if the outcome of its first write was unknown', async () => {
    store.lostAnswer = new EventStoreUnavailable('away');
    await expect(journal.append(entry(1))).rejects.toThrow(EventStoreUnavailable);
    await journal.append(entry(2));
    expect(await journal.append(entry(1))).toMatchObject({ revision: 0 });
    expect(await numbers()).toEqual([1, 2]);
    expect(await journal.find(stream, 'thing/1')).toMatchObject({ data: { n: 1 } });
    expect(await journal.find(stream, 'thing/3')).toBeUndefined();
  });

  it('records an event without such a text every time', async () => {
    const events = [{ type: 'ThingDone', data: { n: 1 } }];
    await journal.append(entry(1, { events }));
    await journal.append(entry(1, { events }));
    expect(await numbers()).toEqual([1, 1]);
  });

  it('makes later reads wait for its writes', async () => {
    await journal.append(entry(1));
    expect(readYourWrites.recorded('things')).toBe(0);
    await journal.appendAll([entry(2), entry(3)]);
    expect(readYourWrites.recorded('things')).toBe(2);
    expect(await journal.last(stream)).toMatchObject({ revision: 2 });
  });

  it('distinguishes the write that was first at a revision from the other', async () => {
    expect(await journal.appendIfFirst(entry(1, { expected: 'none' }))).toMatchObject({ revision: 0 });
    expect(await journal.appendIfFirst(entry(2, { expected: 'none' }))).toBeUndefined();
    await expect(journal.append(entry(2, { expected: 'none' }))).rejects.toThrow(WrongExpectedRevision);
    expect(await journal.appendIfFirst(entry(2, { expected: 0 }))).toMatchObject({ revision: 1 });
    expect(await numbers()).toEqual([1, 2]);
  });

  it('writes several entries in order and answers each; an empty list is no write', async () => {
    const other = 'thing-ws_1.b';
    const written = await journal.appendAll([entry(1), entry(2, { stream: other }), entry(3)]);
    expect(written.map(({ revision }) => revision)).toEqual([0, 0, 1]);
    expect(await journal.appendAll([])).toEqual([]);
    expect(await journal.at(other, 0)).toMatchObject({ data: { n: 2 } });
  });

  it('finds the latest event of a type, however many others followed, and no removed one', async () => {
    const of = (type: string) => ({ type, data: {} });
    const others = Array.from({ length: 250 }, () => of('ThingDone'));
    expect(await journal.lastOf(stream, 'ThingSold')).toBeUndefined();
    await journal.append(entry(1, { events: [of('ThingSold'), of('ThingSold'), ...others] }));
    expect(await journal.lastOf(stream, 'ThingSold')).toMatchObject({ revision: 1 });
    expect(await journal.lastOf(stream, 'ThingLost')).toBeUndefined();
    await journal.prune(stream, 1);
    expect(await journal.lastOf(stream, 'ThingSold')).toBeUndefined();
  });

  it('reports it if the store answers an append with nothing', async () => {
    store.append = async () => [];
    await expect(journal.append(entry(1))).rejects.toThrow('The event store returned no result for an append.');
  });

  it('refuses a write with a waiting caller if the store is away, and passes on any other error', async () => {
    store.lostAnswer = new EventStoreUnavailable('away');
    await expect(refusingWhenAway(() => journal.append(entry(1)))).rejects.toMatchObject({ code: 'store-unavailable' });
    store.lostAnswer = new Error('broken');
    await expect(refusingWhenAway(() => journal.append(entry(2)))).rejects.toThrow('broken');
  });
});

describe('the pruning of a journal', () => {
  const forgotten = { stream, by, events: [{ type: 'ThingsForgotten', data: {} }] };

  it('is recorded first and then pruned', async () => {
    await journal.append(entry(1, { events: [done(1), done(2)] }));
    store.done.length = 0;
    expect(await journal.forget(forgotten, 0)).toBe(true);
    expect(store.done).toEqual([`append ThingsForgotten to ${stream}`, `prune ${stream} before 1`]);
  });

  it('is only recorded if there is nothing to prune', async () => {
    expect(await journal.forget(forgotten, -1)).toBe(true);
    expect(store.done).toEqual([`append ThingsForgotten to ${stream}`]);
  });

  it('does nothing if another process wrote in between', async () => {
    await journal.append(entry(1));
    store.meanwhile = () => journal.append(entry(2));
    expect(await journal.forget({ ...forgotten, expected: 0 }, 0)).toBe(false);
    expect(await numbers()).toEqual([1, 2]);
  });
});
