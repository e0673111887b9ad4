import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { LocalLeases } from '../../adapters/leases/local/local-leases.adapter.js';
import type { Environment } from '../../config/environment.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { Freshness } from './freshness.js';
import { NewerRecords } from './newer-records.js';
import { ReadModels, readModelDuty } from './read-models.js';
import { ReadYourWrites } from './read-your-writes.js';
import { RemoteReadModels } from './remote-read-models.js';

const nothing = async () => undefined;
const named = (name: string) => ({ name, version: 1, collections: {}, reads: { types: [] }, changes: () => [] });
const model = named('functions');

let clock: MadeUpClock;
let leases: LocalLeases;
let keeper: LeaseKeeper;
let readYourWrites: ReadYourWrites;
let freshness: Freshness;
let head: number | undefined;
let warned: string[];
beforeEach(() => {
  clock = new MadeUpClock();
  leases = new LocalLeases();
  keeper = new LeaseKeeper(leases, clock, { value: 'me' });
  warned = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void warned.push(String(line)));
  head = 10;
  follow(new ReadModels([model]));
});

function follow(models: ReadModels): void {
  readYourWrites = new ReadYourWrites(clock, models, { shared: true } as Environment);
  const elsewhere = new RemoteReadModels({} as ReadStore, readYourWrites, keeper, clock, models);
  const events = {
    head: async () => {
      if (head === undefined) throw new Error('away');
      return head;
    },
  } as EventStore;
  freshness = new Freshness(models, events, leases, keeper, readYourWrites, elsewhere, clock, new NewerRecords());
  freshness.start();
}

const pass = async (seconds: number) => {
  for (let n = 0; n < seconds; n++) {
    clock.advance(1_000);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
};
const build = () => keeper.add({ name: readModelDuty(model), start: nothing, stop: nothing });

describe('the age of read models', () => {
  test('is not reported while the read model keeps up, even in a log that always grows', async () => {
    await build();
    for (let n = 0; n < 60; n++) {
      head = (head ?? 0) + 100;
      await pass(1);
      readYourWrites.moved('functions', head - 150);
    }
    expect([freshness.ageSeconds(), warned]).toEqual([0, []]);
  });

  test('counts from when it last showed all of the log', async () => {
    await build();
    readYourWrites.moved('functions', 10);
    await pass(1);
    head = 11;
    await pass(4);
    expect(freshness.ageSeconds()).toBe(0);
    await pass(3);
    expect(freshness.ageSeconds()).toBe(7);
  });

  test('increases while the log cannot be read', async () => {
    await build();
    readYourWrites.moved('functions', 10);
    await pass(2);
    head = undefined;
    await pass(10);
    expect(freshness.ageSeconds()).toBe(10);
  });

  test('causes one warning within thirty seconds, another each minute, and a message when it is over', async () => {
    await build();
    readYourWrites.moved('functions', 10);
    await pass(1);
    head = 11;
    await pass(30);
    expect(warned).toHaveLength(1);
    expect(warned[0]).toMatch(
      /^The read model 'functions' has not included the whole log for 2\d s \(it is at position 10; me builds it\)/,
    );
    await pass(50);
    expect(warned).toHaveLength(2);
    const said: string[] = [];
    jest.spyOn(Logger.prototype, 'log').mockImplementation((line) => void said.push(String(line)));
    readYourWrites.moved('functions', 11);
    await pass(2);
    expect(said).toEqual(["The read model 'functions' is current again."]);
  });

  test('is reported in one line for all that are old at the same time', async () => {
    freshness.stop();
    follow(new ReadModels(['functions', 'runs'].map(named)));
    await pass(30);
    const all = /^2 read models have not included the whole log for up to 2\d s: functions, runs\. Responses/;
    expect(warned).toEqual([expect.stringMatching(all)]);
    const said: string[] = [];
    jest.spyOn(Logger.prototype, 'log').mockImplementation((line) => void said.push(String(line)));
    for (const name of ['functions', 'runs']) readYourWrites.moved(name, 10);
    await pass(2);
    expect(said).toEqual(['2 read models are current again: functions, runs.']);
  });

  test('is reported in every process if nobody builds a read model', async () => {
    await pass(25);
    expect(warned[0]).toContain('no known process builds it');
    expect(freshness.missing()).toEqual([{ name: 'functions', holder: undefined }]);
  });

  test('of one built elsewhere is what its builder reports', async () => {
    const currentAt = clock.now() + 3_000;
    await leases.beat('other', { readModels: { functions: { position: 9, currentAt } } });
    await leases.acquire(readModelDuty(model), 'other');
    await pass(4);
    expect([freshness.lastCurrent('functions'), readYourWrites.taken('functions')]).toEqual([currentAt, 9]);
    await pass(10);
    expect(freshness.ageSeconds()).toBe(11);
  });

  test('of one built elsewhere is zero at once if its builder is at the end of the log', async () => {
    await leases.beat('other', { readModels: { functions: { position: 10, currentAt: clock.now() - 60_000 } } });
    await leases.acquire(readModelDuty(model), 'other');
    await freshness.look();
    expect(freshness.lastCurrent('functions')).toBe(clock.now());
    head = 11;
    await pass(8);
    expect(freshness.ageSeconds()).toBe(8);
  });

  test('ignores reports of a process without the lease', async () => {
    await leases.beat('other', { readModels: { functions: { position: 9, currentAt: clock.now() + 3_000 } } });
    await pass(4);
    expect(freshness.lastCurrent('functions')).toBeUndefined();
  });

  test("is reported with the positions in the process's own heartbeat", async () => {
    await build();
    readYourWrites.moved('functions', 10);
    await pass(1);
    expect(freshness.note()).toEqual({ readModels: { functions: { position: 10, currentAt: clock.now() } } });
  });
});

describe('the start of a process', () => {
  const started = () => {
    let isOver = false;
    freshness.allCurrent().then(() => {
      isOver = true;
    });
    return () => isOver;
  };
  const other = { readModels: { functions: { position: 3, currentAt: 0 } } };

  test('waits until a read model that it took over during the start has caught up', async () => {
    await keeper.begin(() => freshness.note());
    await leases.beat('other', other);
    await leases.acquire(readModelDuty(model), 'other');
    const caughtUp = Promise.withResolvers<void>();
    await keeper.add({ name: readModelDuty(model), start: () => caughtUp.promise, stop: nothing });
    const isOver = started();
    await pass(2);
    expect([isOver(), keeper.holds(readModelDuty(model))]).toEqual([false, false]);
    await leases.leave('other');
    await pass(2);
    expect([isOver(), keeper.holds(readModelDuty(model))]).toEqual([false, true]);
    caughtUp.resolve();
    await pass(2);
    expect(isOver()).toBe(true);
  });

  test('does not wait for the end of the log if it builds the read model itself', async () => {
    await build();
    const isOver = started();
    await pass(1);
    expect(isOver()).toBe(true);
  });
});
