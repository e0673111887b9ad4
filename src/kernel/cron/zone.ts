export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** Interval at which a time range is searched for clock changes. No zone changes its clocks twice within this time. */
const lookEveryMs = dayMs / 4;
/**
 * The search for a day's clock changes also covers this time before and after the day. It is longer than any zone's
 * offset from UTC.
 */
const furthestMs = dayMs;
const daysCached = 500;

/** A local time is the shown date and time in milliseconds, as if it were UTC. */
export class Zone {
  private readonly days = new Map<number, readonly Stretch[]>();

  private constructor(private readonly format: Intl.DateTimeFormat) {}

  private static readonly known = new Map<string, Zone>();

  /** Accepts IANA names. Offsets such as +02:00 are not zones, because they lack daylight saving time. */
  static named(name: string): Zone | undefined {
    const known = Zone.known.get(name);
    if (known !== undefined || !/^[A-Za-z]/.test(name)) return known;
    try {
      const zone = new Zone(new Intl.DateTimeFormat('en-US', { ...everyField, timeZone: name }));
      Zone.known.set(name, zone);
      return zone;
    } catch {
      return undefined;
    }
  }

  localAt(instant: number): number {
    const shown = new Map(this.format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0;
    const day = Date.UTC(part('year'), part('month') - 1, part('day'));
    return day + part('hour') * 60 * minuteMs + part('minute') * minuteMs + part('second') * 1_000;
  }

  /**
   * First instant when the clocks show this local time or a later one: after the gap for a skipped local time, and the
   * first of the two for a repeated one.
   */
  firstAt(local: number): number {
    for (const { from, until, offset } of this.around(Math.floor(local / dayMs))) {
      if (local - offset < until) return Math.max(from, local - offset);
    }
    throw new RangeError(`No local time of the zone is at or after ${local}.`);
  }

  /** Days are counted from 1970-01-01. Returns undefined if the clocks change around that day. */
  offsetOf(day: number): number | undefined {
    const [only, ...others] = this.around(day);
    return others.length === 0 ? only?.offset : undefined;
  }

  private around(day: number): readonly Stretch[] {
    const known = this.days.get(day);
    if (known !== undefined) return known;
    if (this.days.size >= daysCached) this.days.clear();
    const made = this.stretches(day * dayMs - furthestMs, (day + 1) * dayMs + furthestMs);
    this.days.set(day, made);
    return made;
  }

  private stretches(begin: number, end: number): readonly Stretch[] {
    const made: Stretch[] = [];
    let from = begin;
    let offset = this.offsetAt(begin);
    for (let look = begin + lookEveryMs; look <= end; look += lookEveryMs) {
      const next = this.offsetAt(look);
      if (next === offset) continue;
      const change = this.changeBetween(look - lookEveryMs, look, offset);
      made.push({ from, until: change, offset });
      from = change;
      offset = next;
    }
    return [...made, { from, until: end, offset }];
  }

  private changeBetween(before: number, after: number, offset: number): number {
    let [has, hasNot] = [before, after];
    while (hasNot - has > 1_000) {
      const middle = has + Math.floor((hasNot - has) / 2_000) * 1_000;
      if (this.offsetAt(middle) === offset) has = middle;
      else hasNot = middle;
    }
    return hasNot;
  }

  private offsetAt(instant: number): number {
    return this.localAt(instant) - instant;
  }
}

const everyField = {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const;
