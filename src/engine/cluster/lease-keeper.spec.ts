import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { LocalLeases } from '../../adapters/leases/local/local-leases.adapter.js';
import { type Duty, LeaseKeeper } from './lease-keeper.js';

class TestLeases extends LocalLeases {
  away = false;

  override async beat(process: string, note: object): Promise<boolean> {
    if (this.away) throw new Error('away');
    return super.beat(process, note as never);
  }
}

function dutyOf(name: string, fails = 0): Duty & { readonly said: string[] } {
  const said: string[] = [];
  let failures = fails;
  return {
    name,
    said,
    start: async () => {
      said.push('start');
      if (failures-- > 0) throw new Error('not yet');
    },
    stop: async () => void said.push('stop'),
  };
}

beforeAll(() => Logger.overrideLogger(false));

let clock: MadeUpClock;
let leases: TestLeases;
let keeper: LeaseKeeper;
beforeEach(async () => {
  clock = new MadeUpClock();
  leases = new TestLeases();
  keeper = new LeaseKeeper(leases, clock, { value: 'me' });
  await keeper.begin(() => ({}));
});
afterEach(() => keeper.stop());

const beats = async (times: number) => {
  for (let n = 0; n < times; n++) {
    clock.advance(1_000);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
};

describe('a process and its duties', () => {
  test('performs a duty from when it gets the lease, once', async () => {
    const duty = dutyOf('work');
    expect(await keeper.add(duty)).toBe(true);
    await beats(3);
    expect(duty.said).toEqual(['start']);
    expect([keeper.holds('work'), keeper.acquired]).toEqual([true, ['work']]);
  });

  test('leaves a duty that another has, and begins it when it is free', async () => {
    await leases.beat('other', {});
    await leases.acquire('work', 'other');
    const duty = dutyOf('work');
    expect(await keeper.add(duty)).toBe(false);
    await beats(2);
    expect(duty.said).toEqual([]);
    await leases.leave('other');
    await beats(1);
    expect(duty.said).toEqual(['start']);
  });

  test('stops a duty whose lease another has taken', async () => {
    const duty = dutyOf('work');
    await keeper.add(duty);
    await leases.release('work', 'me');
    await leases.beat('other', {});
    await leases.acquire('work', 'other');
    await beats(2);
    expect(duty.said).toEqual(['start', 'stop']);
    expect(keeper.holds('work')).toBe(false);
    expect((await leases.holders()).get('work')).toBe('other');
  });

  test('begins its duties anew after others took it for dead', async () => {
    const duty = dutyOf('work');
    await keeper.add(duty);
    await leases.leave('me');
    await beats(2);
    expect(duty.said).toEqual(['start', 'stop', 'start']);
    expect((await leases.holders()).get('work')).toBe('me');
  });

  test('continues its duties while leases are unavailable, because nobody else can get them either', async () => {
    const duty = dutyOf('work');
    await keeper.add(duty);
    leases.away = true;
    await beats(30);
    leases.away = false;
    await beats(2);
    expect(duty.said).toEqual(['start']);
  });

  test('reports what a start threw, returns the lease, and tries again', async () => {
    const duty = dutyOf('work', 1);
    await expect(keeper.add(duty)).rejects.toThrow('not yet');
    expect((await leases.holders()).has('work')).toBe(false);
    await beats(1);
    expect(duty.said).toEqual(['start', 'stop', 'start']);
    expect(keeper.holds('work')).toBe(true);
  });

  test('leaves a duty that found another at its work, and tries for it like any other', async () => {
    const duty = dutyOf('work');
    await keeper.add(duty);
    keeper.lost('work');
    keeper.lost('work');
    await beats(2);
    expect(duty.said).toEqual(['start', 'stop', 'start']);
  });

  test('returns a dropped duty and does not try for it again', async () => {
    const duty = dutyOf('work');
    await keeper.add(duty);
    await keeper.drop('work');
    await beats(3);
    expect(duty.said).toEqual(['start', 'stop']);
    expect((await leases.holders()).has('work')).toBe(false);
  });

  test('ends all duties when it stops, and leaves', async () => {
    const duties = [dutyOf('a'), dutyOf('b')];
    for (const duty of duties) await keeper.add(duty);
    await keeper.stop();
    expect(duties.map(({ said }) => said)).toEqual([
      ['start', 'stop'],
      ['start', 'stop'],
    ]);
    expect([await leases.processes(), (await leases.holders()).size]).toEqual([[], 0]);
  });

  test('ends a duty that has not yet begun', async () => {
    const ended = Promise.withResolvers<void>();
    const duty: Duty = { name: 'slow', start: () => ended.promise, stop: async () => ended.resolve() };
    const keeping = keeper.add(duty);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    await keeper.drop('slow');
    await keeping;
    expect(keeper.holds('slow')).toBe(false);
  });

  test('keeps a lease that it got again although an earlier start of the duty fails late', async () => {
    const [first, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const starts = [first.promise, again.promise];
    const stop = async () => undefined;
    const adding = keeper.add({ name: 'slow', start: () => starts.shift() ?? Promise.resolve(), stop });
    const failing = expect(adding).rejects.toThrow('too late');
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    keeper.lost('slow');
    await beats(1);
    again.resolve();
    first.reject(new Error('too late'));
    await failing;
    expect([keeper.holds('slow'), keeper.hasStarted('slow')]).toEqual([true, true]);
    expect((await leases.holders()).get('slow')).toBe('me');
  });

  test('has started a duty once its `start` has resolved, unless `stop` made it resolve', async () => {
    const [caughtUp, stopping] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stop = () => {
      caughtUp.resolve();
      return stopping.promise;
    };
    const adding = keeper.add({ name: 'slow', start: () => caughtUp.promise, stop });
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect([keeper.holds('slow'), keeper.hasStarted('slow')]).toEqual([true, false]);
    keeper.lost('slow');
    await adding;
    expect([keeper.holds('slow'), keeper.hasStarted('slow')]).toEqual([true, false]);
    stopping.resolve();
    await beats(1);
    expect([keeper.holds('slow'), keeper.hasStarted('slow')]).toEqual([true, true]);
  });
});
