import type { Occurrence } from '../../../kernel/cron/occurrences.js';
import type { Ledger, OccurrenceEvent } from './occurrence.record.js';
import type { Schedule } from './schedule.record.js';
import { Timetable } from './timetable.js';

/** An occurrence that is later than this does not fire (settled question Q-A42). */
export const mostLateMs = 5 * 60_000;

export interface ScheduleCircumstances {
  readonly now: number;
  readonly name: string;
  readonly isGoing: boolean;
  readonly isBlocked: boolean;
  /** Must return the same id each time it is called for the same occurrence. */
  runIdOf(dueAt: string): string;
}

const nothingYet: Omit<Ledger, 'through' | 'local'> = {
  lastTriggered: null,
  lastRunId: null,
  missed: null,
  skipped: 0,
};

/** Returns one event for all occurrences that are too late, and one for each of the others. */
export function settleOccurrences(
  schedule: Schedule,
  before: Ledger | undefined,
  { now, name, isGoing, isBlocked, runIdOf }: ScheduleCircumstances,
): readonly OccurrenceEvent[] {
  const { missed, due } = new Timetable(schedule, before).due(now - mostLateMs, now);
  const { targetKind, targetRef, params } = schedule;
  const given = params === undefined ? {} : { params };
  const firedAt = textOf(now);
  let soFar = before ?? nothingYet;
  let goes = isGoing;
  const through = (last: Occurrence, more: Partial<Ledger>): Ledger => {
    const ledger = { ...soFar, ...more, through: textOf(last.at), local: textOf(last.local).slice(0, 16) };
    soFar = ledger;
    return ledger;
  };
  const events: OccurrenceEvent[] = [];
  if (missed !== undefined) {
    const { count, first, last } = missed;
    const to = textOf(last.at);
    const ledger = through(last, { missed: { count: (soFar.missed?.count ?? 0) + count, lastAt: to } });
    events.push({ type: 'OccurrencesMissed', data: { name, from: textOf(first.at), to, count, ledger } });
  }
  for (const occurrence of due) {
    const dueAt = textOf(occurrence.at);
    if (isBlocked || (schedule.overlap === 'skip' && goes)) {
      const ledger = through(occurrence, { skipped: soFar.skipped + 1 });
      const why = isBlocked ? ({ reason: 'blocked' } as const) : {};
      events.push({ type: 'OccurrenceSkipped', data: { name, dueAt, runId: soFar.lastRunId ?? '', ...why, ledger } });
      continue;
    }
    const runId = runIdOf(dueAt);
    const ledger = through(occurrence, { lastTriggered: firedAt, lastRunId: runId });
    const lateMs = now - occurrence.at;
    events.push({
      type: 'OccurrenceFired',
      data: { name, dueAt, firedAt, lateMs, runId, targetKind, targetRef, ...given, ledger },
    });
    goes = true;
  }
  return events;
}

const textOf = (instant: number) => new Date(instant).toISOString();
