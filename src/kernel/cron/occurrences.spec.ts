import { describe, expect, test } from '@jest/globals';
import { type Cron, readCron } from './cron.js';
import { nextOccurrence, occurrencesBetween, tallyBetween } from './occurrences.js';
import { Zone } from './zone.js';

const cronOf = (text: string): Cron => {
  const read = readCron(text);
  if ('wrong' in read) throw new Error(read.wrong);
  return read;
};
const zoneOf = (name: string): Zone => {
  const zone = Zone.named(name);
  if (zone === undefined) throw new Error(`There is no zone ${name}.`);
  return zone;
};
const shown = (instant: number) => new Date(instant).toISOString().slice(0, 16);
const between = (text: string, zone: string, from: string, to: string) =>
  [...occurrencesBetween(cronOf(text), zoneOf(zone), Date.parse(from), Date.parse(to))].map(({ at }) => shown(at));

describe('occurrences', () => {
  test('are after the given instant, not at it', () => {
    expect(between('0 * * * *', 'UTC', '2026-01-01T00:00Z', '2026-01-01T02:00Z')).toEqual([
      '2026-01-01T01:00',
      '2026-01-01T02:00',
    ]);
  });

  test('follow the local time of their zone, through the year', () => {
    expect(between('0 2 1 * *', 'Europe/Berlin', '2026-01-15T00:00Z', '2026-04-15T00:00Z')).toEqual([
      '2026-02-01T01:00',
      '2026-03-01T01:00',
      '2026-04-01T00:00',
    ]);
  });

  test('of a day of month and a day of week are on either', () => {
    expect(between('0 0 13 * FRI', 'UTC', '2026-01-01T00:00Z', '2026-01-17T00:00Z')).toEqual([
      '2026-01-02T00:00',
      '2026-01-09T00:00',
      '2026-01-13T00:00',
      '2026-01-16T00:00',
    ]);
  });

  test('at a local time that is skipped are once, at the first instant after the gap', () => {
    const day = ['2026-03-28T23:00Z', '2026-03-29T22:00Z'] as const;
    expect(between('30 2 * * *', 'Europe/Berlin', ...day)).toEqual(['2026-03-29T01:00']);
    expect(between('*/15 2 * * *', 'Europe/Berlin', ...day)).toEqual(['2026-03-29T01:00']);
    expect(between('30 2,3 * * *', 'Europe/Berlin', ...day)).toEqual(['2026-03-29T01:00', '2026-03-29T01:30']);
    expect(between('0 2,3 * * *', 'Europe/Berlin', ...day)).toEqual(['2026-03-29T01:00']);
  });

  test('at a local time that is repeated are once, at its first instant', () => {
    expect(between('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', '2026-10-25T02:30Z')).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T02:00',
      '2026-10-25T02:30',
    ]);
  });

  test('on a date that a zone never had are once, when its clocks move on', () => {
    expect(between('0 9 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', '2012-01-15T00:00Z')).toEqual([
      '2011-12-30T10:00',
    ]);
  });

  test('of 29 February wait for a leap year, across a century that is none', () => {
    const after = Date.parse('2096-03-01T00:00Z');
    expect(shown(nextOccurrence(cronOf('0 0 29 2 *'), zoneOf('America/Sao_Paulo'), after)?.at ?? 0)).toBe(
      '2104-02-29T03:00',
    );
  });

  test('that were missed are counted, with the first and the last', () => {
    const [from, to] = [Date.parse('2025-06-01T00:00:30Z'), Date.parse('2026-06-01T00:00Z')];
    const tally = tallyBetween(cronOf('* * * * *'), zoneOf('Europe/Berlin'), from, to);
    // When summer time ends in October, one hour of local time is repeated, but its 60 minutes count once.
    expect(tally?.count).toBe(365 * 1_440 - 60);
    expect([shown(tally?.first.at ?? 0), shown(tally?.last.at ?? 0)]).toEqual(['2025-06-01T00:01', '2026-06-01T00:00']);
    expect(tallyBetween(cronOf('0 0 1 1 *'), zoneOf('UTC'), from, from + 1)).toBeUndefined();
  });
});

test('a zone is a name of the IANA database', () => {
  expect(
    ['UTC', 'Europe/Berlin', 'europe/berlin', 'Asia/Kolkata'].map((name) => Zone.named(name) !== undefined),
  ).toEqual([true, true, true, true]);
  expect(
    ['', 'Nowhere/City', '+02:00', 'GMT+99', '__proto__', 'Europe/Berlin '].map((name) => Zone.named(name)),
  ).toEqual(Array(6).fill(undefined));
});
