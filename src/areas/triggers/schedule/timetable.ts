import { type Cron, readCron } from '../../../kernel/cron/cron.js';
import { type Occurrence, occurrencesAfter, type Tally, tallyBetween } from '../../../kernel/cron/occurrences.js';
import { Zone } from '../../../kernel/cron/zone.js';
import type { Ledger } from './occurrence.record.js';
import type { Schedule } from './schedule.record.js';

type Timed = Pick<Schedule, 'cronExpression' | 'timezone' | 'activeSince' | 'retimedAt'>;

const crons = new Map<string, Cron>();
const mostCrons = 5_000;

/**
 * The times at which a schedule is due. No instant comes twice, and no local time comes twice until the cron expression
 * or time zone changes.
 */
export class Timetable {
  private readonly cron: Cron;
  private readonly zone: Zone;
  private readonly since: number;
  private readonly shown: number;

  constructor({ cronExpression, timezone, activeSince, retimedAt = '' }: Timed, ledger: Ledger | undefined) {
    this.cron = cronOf(cronExpression);
    this.zone = zoneOf(timezone);
    const settled = ledger === undefined ? Number.NEGATIVE_INFINITY : Date.parse(ledger.through);
    this.since = Math.max(settled, Date.parse(activeSince));
    // A change of the zone's rules, such as for summer time, can repeat a local time that has already fired, or was
    // skipped or missed. Such a time is omitted, unless the schedule's cron expression or time zone has changed since.
    const counts = ledger !== undefined && ledger.through >= retimedAt;
    this.shown = counts ? Date.parse(`${ledger.local}Z`) : Number.NEGATIVE_INFINITY;
  }

  /** @param after instant after which the returned occurrence lies */
  next(after = Number.NEGATIVE_INFINITY): Occurrence | undefined {
    for (const occurrence of occurrencesAfter(this.cron, this.zone, Math.max(this.since, after))) {
      if (occurrence.local > this.shown) return occurrence;
    }
    return undefined;
  }

  /** Occurrences before the instant `late` are missed, so they are counted but not returned. */
  due(late: number, now: number): { readonly missed: Tally | undefined; readonly due: readonly Occurrence[] } {
    const first = this.next();
    if (first === undefined || first.at > now) return { missed: undefined, due: [] };
    const from = Math.max(first.at, late) - 1;
    const missed = first.at < late ? tallyBetween(this.cron, this.zone, first.at - 1, late - 1) : undefined;
    const due: Occurrence[] = [];
    for (const occurrence of occurrencesAfter(this.cron, this.zone, from)) {
      if (occurrence.at > now) break;
      due.push(occurrence);
    }
    return { missed, due };
  }
}

function cronOf(text: string): Cron {
  const known = crons.get(text);
  if (known !== undefined) return known;
  const read = readCron(text);
  if ('wrong' in read)
    throw new Error(`A schedule was recorded with the cron expression '${text}', which ${read.wrong}.`);
  if (crons.size >= mostCrons) crons.clear();
  crons.set(text, read);
  return read;
}

function zoneOf(name: string): Zone {
  const zone = Zone.named(name);
  if (zone === undefined)
    throw new Error(`A schedule was recorded with the time zone '${name}', which is unknown here.`);
  return zone;
}
