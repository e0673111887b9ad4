import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { expectedOf } from '../../../test/contracts/read-store/read-store-oracle.js';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { EventStoreInMemory } from '../../../test/support/given/event-store-in-memory.js';
import { uncounted } from '../../../test/support/given/uncounted.js';
import { LocalLeases } from '../../adapters/leases/local/local-leases.adapter.js';
import { SystemIds } from '../../adapters/system/system-ids.adapter.js';
import type { Environment } from '../../config/environment.js';
import type { Document } from '../../kernel/record/projection.js';
import type { Query, ReadStore } from '../../ports/read-store.port.js';
import { LeaseKeeper, schedulerDuty } from '../cluster/lease-keeper.js';
import { Journal } from '../journal/journal.js';
import { systemActor } from '../operation/calls.js';
import { ReadModels } from '../read-models/read-models.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { JournalRetention, type JournalRule } from './journal-retention.js';
import { Retention, type RetentionRule } from './retention.js';

interface Thing extends Document {
  readonly owner: string;
  readonly createdAt: string;
  readonly revision: number;
  readonly status: 'over' | 'going';
}

const day = 24 * 3_600_000;

let clock: MadeUpClock;
let keeper: LeaseKeeper;
let events: EventStoreInMemory;
let journal: Journal;
let readYourWrites: ReadYourWrites;
let retention: Retention;
let journals: JournalRetention;
let things: Thing[];
beforeEach(() => {
  clock = new MadeUpClock();
  things = [];
  events = new EventStoreInMemory();
  keeper = new LeaseKeeper(new LocalLeases(), clock, { value: 'me' });
  const collections = { things: { indexes: [] } };
  const reads = { categories: ['thing'] };
  const models = new ReadModels([{ name: 'models', version: 1, collections, reads, changes: () => [] }]);
  const environment = { runRetentionDays: 30 } as Environment;
  const store = {
    find: async (_: string, query: Query) => expectedOf(things, query),
  } as unknown as ReadStore;
  readYourWrites = new ReadYourWrites(clock, models, environment);
  journal = new Journal(events, clock, readYourWrites, new SystemIds(clock), uncounted);
  retention = new Retention(store, clock, environment, keeper);
  journals = new JournalRetention(retention, journal, events, store, models, readYourWrites);
});

const streamFor = ({ owner }: Pick<Thing, 'owner'>) => `thing-ws_1.${owner}`;

async function happens(owner: string, status: Thing['status'] = 'over'): Promise<void> {
  const by = { workspaceId: 'ws_1', actor: systemActor('spec'), operation: 'spec' };
  const event = { type: 'ThingDone', data: {} };
  const { revision, position } = await journal.append({ stream: streamFor({ owner }), by, events: [event] });
  const createdAt = new Date(clock.now()).toISOString();
  const id = `${String(things.length).padStart(5, '0')}`;
  things.push({ id, workspaceId: 'ws_1', owner, createdAt, revision, status });
  readYourWrites.moved('models', position);
}

const kept = async (owner: string) => (await events.readStream(streamFor({ owner }))).map(({ type }) => type);

describe('retention', () => {
  let forgotten: string[][];
  const byOwner: RetentionRule<Thing> = {
    name: 'thing-retention',
    collection: 'things',
    age: 'createdAt',
    key: ({ owner }) => owner,
    forget: async (old) => {
      forgotten.push(old.map(({ id }) => id));
      const gone = new Set(old.map(({ id }) => id));
      things = things.filter(({ id }) => !gone.has(id));
    },
  };
  beforeEach(() => {
    forgotten = [];
  });

  it('removes what is older than the days of runs, oldest first, and items with one key together', async () => {
    const sweep = retention.add(byOwner);
    for (const owner of ['a', 'b', 'a']) await happens(owner);
    clock.advance(29 * day);
    await happens('a');
    clock.advance(day);
    await sweep();
    expect(forgotten).toEqual([]);
    clock.advance(1);
    await sweep();
    expect(forgotten).toEqual([['00000', '00002'], ['00001']]);
    expect(things.map(({ id }) => id)).toEqual(['00003']);
  });

  it("uses a rule's own days, its condition, and its additional removals", async () => {
    const asked: number[] = [];
    const beside = async (before: number) => void asked.push(before);
    const sweep = retention.add({ ...byOwner, over: { status: 'over' }, retainedMs: 2 * day, soonerMs: day, beside });
    const began = clock.now();
    await happens('a', 'going');
    await happens('a');
    clock.advance(day + 1);
    await sweep();
    expect(forgotten).toEqual([['00001']]);
    expect(asked).toEqual([began + 1]);
  });

  it('reaches documents behind a page of those that cannot be removed yet', async () => {
    const forget = async (old: readonly [Thing, ...Thing[]], cutoff: string) => {
      if (old[0].owner !== 'stuck') await byOwner.forget(old, cutoff);
    };
    const sweep = retention.add({ ...byOwner, forget });
    for (let n = 0; n < 450; n++) await happens('stuck');
    await happens('a');
    clock.advance(31 * day);
    await sweep();
    expect(forgotten).toEqual([['00450']]);
  });

  it('runs every hour in the process that has the lease, and a failed rule does not stop the next', async () => {
    const warned: string[] = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void warned.push(String(line)));
    const forget = async () => {
      throw new Error('The vault is away.');
    };
    retention.add({ ...byOwner, name: 'first-retention', forget });
    retention.add(byOwner);
    await happens('a');
    clock.advance(31 * day);
    await retention.hourly();
    expect(forgotten).toEqual([]);
    await keeper.begin(() => ({}));
    await keeper.add(schedulerDuty);
    await retention.hourly();
    expect(forgotten).toEqual([['00000']]);
    expect(warned).toEqual([
      'first-retention could not remove all expired data, and continues in an hour: The vault is away.',
    ]);
    await keeper.stop();
  });
});

describe('retention of journals', () => {
  const rule: JournalRule<Thing> = {
    name: 'thing-retention',
    collection: 'things',
    age: 'createdAt',
    over: { status: 'over' },
    stream: streamFor,
    entries: { by: 'owner', unfinished: { status: 'going' } },
    type: 'ThingsForgotten',
    data: async ({ owner }, { throughRevision, keptFrom }) => ({ owner, throughRevision, keptFrom }),
  };

  it('records what it prunes before it prunes it, and keeps recent entries', async () => {
    const sweep = journals.add(rule);
    await happens('a');
    await happens('a');
    clock.advance(31 * day);
    await happens('a');
    const at = new Date(clock.now()).toISOString();
    events.done.length = 0;
    await sweep();
    expect(events.done).toEqual(['append ThingsForgotten to thing-ws_1.a', 'prune thing-ws_1.a before 2']);
    expect(await kept('a')).toEqual(['ThingDone', 'ThingsForgotten']);
    expect(await journal.last('thing-ws_1.a')).toMatchObject({
      data: { owner: 'a', throughRevision: 1, keptFrom: at },
      metadata: { workspaceId: 'ws_1', actor: systemActor('thing-retention'), operation: 'thing-retention' },
    });
  });

  it('keeps a journal from the first unfinished item on, and continues with the others', async () => {
    const sweep = journals.add(rule);
    await happens('a', 'going');
    await happens('a');
    await happens('b');
    await happens('b', 'going');
    clock.advance(31 * day);
    await sweep();
    expect(await kept('a')).toEqual(['ThingDone', 'ThingDone']);
    expect(await kept('b')).toEqual(['ThingDone', 'ThingsForgotten']);
  });

  it('waits for the read model, without which it does not know what is in progress', async () => {
    const sweep = journals.add(rule);
    await happens('a');
    clock.advance(31 * day);
    const unseen = { id: 'unseen', type: 'ThingDone', data: {}, metadata: {} as never };
    await events.append([{ stream: 'thing-ws_1.a', expected: 'any', events: [unseen] }]);
    await sweep();
    expect(await kept('a')).toEqual(['ThingDone', 'ThingDone']);
    readYourWrites.moved('models', 1);
    await sweep();
    expect(await kept('a')).toEqual(['ThingsForgotten']);
  });

  it('starts over if another process writes to a journal whose events it counts', async () => {
    const sweep = journals.add({ ...rule, counts: true });
    await happens('a');
    clock.advance(31 * day);
    events.meanwhile = () => happens('a');
    await sweep();
    expect(await kept('a')).toEqual(['ThingDone', 'ThingsForgotten']);
    expect(await journal.last('thing-ws_1.a')).toMatchObject({ data: { throughRevision: 0 } });
  });

  it('skips a journal that cannot be read at the moment', async () => {
    const sweep = journals.add({ ...rule, data: async () => undefined });
    await happens('a');
    clock.advance(31 * day);
    await sweep();
    expect(await kept('a')).toEqual(['ThingDone']);
  });

  it('uses the times of the events if a document describes a whole journal', async () => {
    const { entries, ...whole } = rule;
    const sweep = journals.add(whole);
    await happens('a');
    things = things.map(({ revision, ...thing }) => thing as Thing);
    clock.advance(20 * day);
    await journal.append({
      stream: 'thing-ws_1.a',
      by: { workspaceId: 'ws_1', actor: systemActor('spec'), operation: 'spec' },
      events: [
        { type: 'ThingsForgotten', data: {} },
        { type: 'ThingDone', data: {} },
      ],
    });
    const young = new Date(clock.now()).toISOString();
    clock.advance(11 * day);
    await sweep();
    expect(await kept('a')).toEqual(['ThingDone', 'ThingsForgotten']);
    expect(await journal.last('thing-ws_1.a')).toMatchObject({ data: { throughRevision: 1, keptFrom: young } });
  });
});
