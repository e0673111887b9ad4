import { CronPattern } from 'croner';

export interface Cron {
  /** Minutes since midnight, ascending. */
  readonly minutesOfDay: readonly number[];
  names(day: CalendarDay): boolean;
  namesMonth(month: number): boolean;
}

export interface CalendarDay {
  /** From 1 to 12. */
  readonly month: number;
  readonly dayOfMonth: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

interface FieldOfFive {
  readonly name: string;
  readonly allows: string;
}

const fields: readonly FieldOfFive[] = [
  { name: 'minute', allows: '0-59' },
  { name: 'hour', allows: '0-23' },
  { name: 'day of month', allows: '1-31' },
  { name: 'month', allows: '1-12 or JAN-DEC' },
  { name: 'day of week', allows: '0-7 or SUN-SAT' },
];

/** All implementations of cron support this syntax. Other syntax is refused. */
const plainField = /^(?:(?:\*|\w+(?:-\w+)?)(?:\/\d+)?)(?:,(?:\*|\w+(?:-\w+)?)(?:\/\d+)?)*$/;
const plainWord = /^(?:\d+|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i;

/** Pattern for JSON Schema. It does not check the bounds of the five fields. */
export const cronPattern = `^\\s*F(?:\\s+F){4}\\s*$`.replaceAll('F', plainField.source.slice(1, -1));

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function readCron(text: string): Cron | { readonly wrong: string } {
  const given = text.trim().split(/\s+/);
  if (given.length !== fields.length || text.trim() === '') {
    const names = fields.map(({ name }) => name).join(', ');
    return { wrong: `must have five fields (${names}), such as '0 2 * * *'` };
  }
  const wrong = fields.findIndex((_, at) => !isRead(given, at));
  const field = fields[wrong];
  if (field !== undefined) {
    return {
      wrong: `has the ${field.name} '${given[wrong]}'; allowed are ${field.allows}, lists, ranges, * and steps`,
    };
  }
  const cron = cronOf(new CronPattern(given.join(' '), undefined, { mode: '5-part' }));
  return cron ?? { wrong: 'has only dates that occur in no year' };
}

function isRead(given: readonly string[], at: number): boolean {
  const field = given[at] ?? '';
  if (!plainField.test(field) || !field.split(/[,/-]/).every((word) => word === '*' || plainWord.test(word)))
    return false;
  try {
    new CronPattern(fields.map((_, place) => (place === at ? field : '*')).join(' '), undefined, { mode: '5-part' });
    return true;
  } catch {
    return false;
  }
}

/** If both day of month and day of week are given, either may match. Returns undefined if no day matches. */
function cronOf({ minute, hour, day, month, dayOfWeek, starDOM, starDOW }: CronPattern): Cron | undefined {
  const [hours, minutes] = [indexesOf(hour), indexesOf(minute)];
  const anyOfMonth = indexesOf(month).some((at) => indexesOf(day).some((date) => date < (longestMonths[at] ?? 0)));
  if (starDOW && !anyOfMonth) return undefined;
  const namesDate = (date: number) => Boolean(day[date - 1]);
  const namesWeekday = (weekday: number) => Boolean(dayOfWeek[weekday]);
  const namesMonth = (at: number) => Boolean(month[at - 1]);
  return {
    minutesOfDay: hours.flatMap((h) => minutes.map((m) => h * 60 + m)),
    namesMonth,
    names: ({ month: at, dayOfMonth, weekday }) => {
      if (!namesMonth(at)) return false;
      if (starDOM) return namesWeekday(weekday);
      return namesDate(dayOfMonth) || (!starDOW && namesWeekday(weekday));
    },
  };
}

const indexesOf = (marks: readonly number[]) => marks.flatMap((mark, at) => (mark ? [at] : []));
