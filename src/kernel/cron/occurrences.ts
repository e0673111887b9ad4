import type { Cron } from './cron.js';
import { dayMs, minuteMs, type Zone } from './zone.js';

export interface Occurrence {
  readonly at: number;
  /**
   * Local time of the zone's clocks, in milliseconds as if it were UTC. If clocks skip several matching times at once,
   * only the first of them is given.
   */
  readonly local: number;
}

/** Number of days since 1970-01-01 that is safely within the range of JavaScript dates. */
const lastDay = 8.64e15 / dayMs - 3;

/**
 * Each matching local time occurs once, at the first instant when the zone's clocks show that time or a later one. Ends
 * only at the end of the range of JavaScript dates.
 */
export function* occurrencesAfter(cron: Cron, zone: Zone, after: number): Generator<Occurrence, undefined> {
  const shown = zone.localAt(after);
  let latest = after;
  for (const day of daysFrom(cron, Math.floor(shown / dayMs))) {
    const { minutesOfDay } = cron;
    for (
      let index = indexAfter(minutesOfDay, (shown - day * dayMs) / minuteMs);
      index < minutesOfDay.length;
      index += 1
    ) {
      const local = day * dayMs + (minutesOfDay[index] ?? 0) * minuteMs;
      const at = zone.firstAt(local);
      if (at <= latest) continue;
      latest = at;
      yield { at, local };
    }
  }
}

function indexAfter(numbers: readonly number[], than: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) > than) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns undefined only at the end of the range of dates. */
export function nextOccurrence(cron: Cron, zone: Zone, after: number): Occurrence | undefined {
  return occurrencesAfter(cron, zone, after).next().value;
}

/** Excludes `from` and includes `to`. */
export function* occurrencesBetween(cron: Cron, zone: Zone, from: number, to: number): Generator<Occurrence> {
  for (const occurrence of occurrencesAfter(cron, zone, from)) {
    if (occurrence.at > to) return;
    yield occurrence;
  }
}

export interface Tally {
  readonly count: number;
  readonly first: Occurrence;
  readonly last: Occurrence;
}

/** Excludes `from` and includes `to`. Days without a clock change are counted as a whole. */
export function tallyBetween(cron: Cron, zone: Zone, from: number, to: number): Tally | undefined {
  let count = 0;
  let first: Occurrence | undefined;
  let last: Occurrence | undefined;
  let counted = from;
  const countUpTo = (end: number) => {
    for (const occurrence of occurrencesBetween(cron, zone, counted, end)) {
      count += 1;
      first ??= occurrence;
      last = occurrence;
    }
    counted = end;
  };
  for (const day of daysFrom(cron, Math.floor(zone.localAt(from) / dayMs))) {
    const end = zone.firstAt((day + 1) * dayMs) - 1;
    if (end > to) break;
    const offset = zone.offsetOf(day);
    const begin = end + 1 - dayMs;
    if (first === undefined || offset === undefined || begin <= counted) {
      countUpTo(end);
    } else {
      countUpTo(begin - 1);
      const local = day * dayMs + (cron.minutesOfDay.at(-1) ?? 0) * minuteMs;
      count += cron.minutesOfDay.length;
      last = { at: local - offset, local };
      counted = end;
    }
  }
  countUpTo(to);
  return first && last && { count, first, last };
}

/** Days are counted from 1970-01-01. */
function* daysFrom(cron: Cron, first: number): Generator<number> {
  for (let day = first; day < lastDay; day += 1) {
    const date = new Date(day * dayMs);
    const month = date.getUTCMonth() + 1;
    if (!cron.namesMonth(month)) {
      day = Date.UTC(date.getUTCFullYear(), month, 1) / dayMs - 1;
    } else if (cron.names({ month, dayOfMonth: date.getUTCDate(), weekday: date.getUTCDay() })) {
      yield day;
    }
  }
}
