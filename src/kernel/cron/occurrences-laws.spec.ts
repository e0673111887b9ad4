import { describe, expect, test } from '@jest/globals';
import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { runs } from '../../../test/support/depth.js';
import { type Cron, readCron } from './cron.js';
import { nextOccurrence, occurrencesBetween, tallyBetween } from './occurrences.js';
import { Zone } from './zone.js';

const hour = 3_600_000;
const day = 24 * hour;
const minute = 60_000;

/**
 * Zones with all kinds of clock changes: by an hour or half an hour, north and south, at midnight, on other weekdays,
 * and none.
 */
const zones = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin',
  'Europe/Chisinau',
  'Atlantic/Azores',
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Havana',
  'America/Santiago',
  'America/Asuncion',
  'America/Nuuk',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Jerusalem',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Tehran',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Antarctica/Troll',
];
const [begin, end] = [Date.parse('2021-01-01T00:00Z'), Date.parse('2031-12-31T00:00Z')];

const formats = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
  ]),
);
const clockAt = (zone: string, instant: number) =>
  Date.parse(`${(formats.get(zone)?.format(instant) ?? '').replace(' ', 'T')}Z`);

const changesOf = (zone: string): readonly number[] => {
  const offset = (instant: number) => clockAt(zone, instant) - instant;
  const changes: number[] = [];
  for (let at = begin; at < end; at += day) if (offset(at) !== offset(at + day)) changes.push(at / day);
  return changes;
};
const changes = new Map(zones.map((zone) => [zone, changesOf(zone)]));
const changing = zones.filter((zone) => (changes.get(zone)?.length ?? 0) > 0);

const cronOf = (text: string): Cron => {
  const read = readCron(text);
  if ('wrong' in read) throw new Error(`${text} ${read.wrong}`);
  return read;
};
const zoneOf = (name: string): Zone => {
  const zone = Zone.named(name);
  if (zone === undefined) throw new Error(`There is no zone ${name}.`);
  return zone;
};
const ours = (text: string, zone: string, from: number, to: number) =>
  [...occurrencesBetween(cronOf(text), zoneOf(zone), from, to)].map(({ at }) => at);

const matches = (cron: Cron, local: number) => {
  const date = new Date(local);
  const [dayOfMonth, weekday] = [date.getUTCDate(), date.getUTCDay()];
  const isNamed = cron.names({ month: date.getUTCMonth() + 1, dayOfMonth, weekday });
  return isNamed && cron.minutesOfDay.includes(date.getUTCHours() * 60 + date.getUTCMinutes());
};

function walked(text: string, zone: string, from: number, to: number): readonly number[] {
  const cron = cronOf(text);
  const due: number[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = from - 4 * hour; at <= to; at += minute) {
    const local = clockAt(zone, at);
    const before = latest === Number.NEGATIVE_INFINITY ? local - minute : latest;
    let isDue = false;
    for (let reached = before + minute; reached <= local; reached += minute) isDue ||= matches(cron, reached);
    if (isDue && at > from) due.push(at);
    latest = Math.max(latest, local);
  }
  return due;
}

/** Never generates a range of all values, such as `0-59`, because cron-parser treats it as `*`. */
const fieldOf = (low: number, high: number) => {
  const number = fc.integer({ min: low, max: high });
  const range = fc.tuple(number, number).filter(([a, b]) => a !== b && Math.abs(a - b) < high - low);
  const numbers = fc.uniqueArray(number, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: high }).map((by) => `*/${by}`) },
    { weight: 1, arbitrary: range.map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`) },
    { weight: 2, arbitrary: numbers.map((list) => list.join(',')) },
  );
};
const expression = fc
  .tuple(fieldOf(0, 59), fieldOf(0, 23), fieldOf(1, 31), fieldOf(1, 12), fieldOf(0, 6))
  .map((fields) => fields.join(' '))
  .filter((text) => !('wrong' in readCron(text)));

const named = (date: string) => Date.parse(date) / day;

describe('occurrences', () => {
  test('property: on days without a clock change they equal those of another library', () => {
    const days = fc.integer({ min: begin / day, max: end / day });
    fc.assert(
      fc.property(expression, fc.constantFrom(...zones), days, (text, zone, at) => {
        fc.pre(!(changes.get(zone) ?? []).some((change) => Math.abs(change - at) <= 2));
        const [from, to] = [at * day, (at + 1) * day];
        const parsed = CronExpressionParser.parse(text, { currentDate: new Date(from), tz: zone });
        const theirs: number[] = [];
        for (let next = parsed.next().getTime(); next <= to; next = parsed.next().getTime()) theirs.push(next);
        expect(ours(text, zone, from, to)).toEqual(theirs);
      }),
      { numRuns: runs(300) },
    );
  });

  test('property: around clock changes they equal those of a walk along the minutes', () => {
    const about = fc
      .constantFrom(...changing)
      .chain((zone) => fc.tuple(fc.constant(zone), fc.constantFrom(...(changes.get(zone) ?? []))));
    fc.assert(
      fc.property(expression, about, (text, [zone, change]) => {
        const [from, to] = [(change - 1) * day, (change + 2) * day];
        expect(ours(text, zone, from, to)).toEqual(walked(text, zone, from, to));
      }),
      { numRuns: runs(150) },
    );
  });

  test.each(changing)('in %s, every quarter of an hour obeys the rules around all changes of ten years', (zone) => {
    for (const change of changes.get(zone) ?? []) {
      const [from, to] = [change * day, (change + 1) * day];
      expect(ours('*/15 * * * *', zone, from, to)).toEqual(walked('*/15 * * * *', zone, from, to));
    }
  });

  test('property: each is later than the one before, shows a later local time, and none is skipped', () => {
    fc.assert(
      fc.property(expression, fc.constantFrom(...zones), fc.integer({ min: begin, max: end }), (text, zone, after) => {
        const [cron, clocks] = [cronOf(text), zoneOf(zone)];
        let before = { at: after, local: Number.NEGATIVE_INFINITY };
        for (let count = 0; count < 20; count += 1) {
          const next = nextOccurrence(cron, clocks, before.at);
          if (next === undefined) throw new Error('There is no next one.');
          expect(next.at).toBeGreaterThan(before.at);
          expect(next.local).toBeGreaterThan(before.local);
          // The next occurrence is the same from every instant between two occurrences.
          expect(nextOccurrence(cron, clocks, Math.floor((before.at + next.at) / 2))).toEqual(next);
          expect(nextOccurrence(cron, clocks, next.at - 1)).toEqual(next);
          before = next;
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('property: counting them equals making each', () => {
    fc.assert(
      fc.property(
        expression,
        fc.constantFrom(...zones),
        fc.integer({ min: begin, max: end }),
        fc.integer({ min: 0, max: 20 * day }),
        (text, zone, from, length) => {
          const [cron, clocks] = [cronOf(text), zoneOf(zone)];
          const all = [...occurrencesBetween(cron, clocks, from, from + length)];
          const tally = tallyBetween(cron, clocks, from, from + length);
          expect(tally).toEqual(
            all.length === 0 ? undefined : { count: all.length, first: all[0], last: all[all.length - 1] },
          );
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test.each(['0 0 29 2 *', '0 0 31 12 *', '59 23 29 2 *', '* * 29 2 *'])('%s can be found quickly', (text) => {
    const cron = cronOf(text);
    let steps = 0;
    const names: Cron['names'] = (date) => {
      steps += 1;
      return cron.names(date);
    };
    for (const zone of zones) nextOccurrence({ ...cron, names }, zoneOf(zone), named('2096-03-01T00:00Z') * day);
    // After February 2096, the next 29 February is in 2104. In each year, only the days of one month are examined.
    expect(steps).toBeLessThan(zones.length * 9 * 32);
  });
});
