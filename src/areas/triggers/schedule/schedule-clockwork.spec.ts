import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { specId } from '../../../../test/support/given/given.js';
import { of } from '../../../../test/support/given/given-saga.js';
import { hourlySchedule as hourly } from '../../../../test/support/given/hourly-schedule.js';
import type { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { EventStore, Subscriber } from '../../../ports/event-store.port.js';
import type { ActiveSchedules } from './active-schedules.js';
import { settleOccurrences } from './occurrence.js';
import { emptyLedger, type LedgerState } from './occurrence-journal.js';
import type { Schedule } from './schedule.record.js';
import { ScheduleClockwork } from './schedule-clockwork.js';
import type { ScheduleSettling, SettledSchedule } from './schedule-settling.js';

const minute = 60_000;

let clock: MadeUpClock;
/** As the schedule's stream has it. */
let recorded: Schedule;
let fired: string[];
/** What happens after a settling has read the schedule. */
let meanwhile: () => Promise<void>;
let handle: Subscriber['handle'];
let clockwork: ScheduleClockwork;
beforeEach(async () => {
  clock = new MadeUpClock(Date.parse('2030-01-01T00:59:30Z'));
  recorded = hourly;
  fired = [];
  meanwhile = async () => {};
  const settle = async (_known: Schedule, { revision, ledger }: LedgerState): Promise<SettledSchedule> => {
    const schedule = recorded;
    const state = { now: clock.now(), name: 'Report', isGoing: false, isBlocked: false, runIdOf: () => 'run_1' };
    const events = schedule.isActive ? settleOccurrences(schedule, ledger, state) : [];
    await meanwhile();
    fired.push(...events.map(({ data }) => ('dueAt' in data ? data.dueAt.slice(11, 16) : 'missed')));
    const settled = { revision: revision + events.length, ledger: events.at(-1)?.data.ledger ?? ledger };
    return { schedule: schedule.isActive ? schedule : undefined, state: settled };
  };
  const subscribe = (subscriber: Subscriber) => {
    handle = subscriber.handle;
    return { position: 0, stop: async () => {} };
  };
  const all = async function* () {
    yield { schedule: hourly, state: emptyLedger };
  };
  clockwork = new ScheduleClockwork(
    { subscribe } as unknown as EventStore,
    { find: async () => recorded } as unknown as CommandRunner,
    { position: async () => 0, all } as unknown as ActiveSchedules,
    { settle } as unknown as ScheduleSettling,
    new SchedulerRegistry(),
    clock,
  );
  await clockwork.duty().start();
});
afterEach(() => clockwork.duty().stop());

const change = of('schedule', specId, { type: 'ScheduleUpdated', data: {} });
async function records(changed: Partial<Schedule>): Promise<void> {
  recorded = { ...recorded, ...changed };
  await handle([change], change.position);
}
async function advance(ms: number): Promise<void> {
  clock.advance(ms);
  await setImmediate();
}

describe('a schedule that changes while it fires', () => {
  it('fires at its new times next', async () => {
    meanwhile = () => records({ cronExpression: '*/5 * * * *', activeSince: '2030-01-01T01:00:00.000Z' });
    await advance(minute / 2);
    expect(fired).toEqual(['01:00']);
    meanwhile = async () => {};
    await advance(5 * minute);
    expect(fired).toEqual(['01:00', '01:05']);
  });

  it('fires at its new times next if it was found switched off, and was switched on again since', async () => {
    recorded = { ...hourly, isActive: false };
    meanwhile = () =>
      records({ isActive: true, cronExpression: '*/5 * * * *', activeSince: '2030-01-01T01:00:00.000Z' });
    await advance(minute / 2);
    expect(fired).toEqual([]);
    meanwhile = async () => {};
    await advance(5 * minute);
    expect(fired).toEqual(['01:05']);
  });

  it('fires at the times that the settling found, although their event comes later', async () => {
    recorded = { ...hourly, cronExpression: '*/5 * * * *', activeSince: '2030-01-01T00:59:00.000Z' };
    await advance(minute / 2);
    await advance(5 * minute);
    expect(fired).toEqual(['01:00', '01:05']);
  });
});
