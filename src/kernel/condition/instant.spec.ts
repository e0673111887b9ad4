import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/depth.js';
import { instantOf } from './instant.js';

describe('the instant of a text', () => {
  it.each([
    ['2030-01-01', '2030-01-01T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2030-04-30T10:00Z', '2030-04-30T10:00:00.000Z'],
    ['2030-01-31T23:59:59.999Z', '2030-01-31T23:59:59.999Z'],
    ['2030-01-01T10:00:00.123456789Z', '2030-01-01T10:00:00.123Z'],
    ['2030-01-01T00:30:00+01:00', '2029-12-31T23:30:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ])('%s is valid', (text, expected) => {
    expect(instantOf(text)).toBe(Date.parse(expected));
  });

  it.each([
    '',
    'soon',
    '2030',
    '2030-01',
    '2030-1-1',
    '2030-02-30',
    '2029-02-29',
    '2030-04-31T00:00:00Z',
    '2030-00-01',
    '2030-01-00',
    '2030-13-01',
    '2030-01-32',
    '2030-01-01T10:00:00',
    '2030-01-01 10:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T10:60:00Z',
    '2030-01-01T10:00:60Z',
    '2030-01-01T10:00:00+25:00',
    '2030-01-01T10:00:00.Z',
    '+012030-01-01T00:00:00Z',
    ' 2030-01-01',
    '2030-01-01\n',
    `2030-01-01T00:00:00.${'0'.repeat(100_000)}Z`,
  ])('%j is invalid', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });
});

function byDate(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.exec(text);
  const [, day = '', time = '', , , offset = 'Z'] = form ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  if (time.slice(1, 3) === '24' || (offset !== 'Z' && Number(offset.slice(1, 3)) > 14)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

const digits = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'));
const days = fc.tuple(fc.integer({ min: 0, max: 9_999 }), digits(13), digits(32)).map(([year, month, day]) => {
  return `${String(year).padStart(4, '0')}-${month}-${day}`;
});
const times = fc
  .tuple(
    digits(24),
    digits(60),
    digits(60),
    fc.constantFrom('', '.5', '.123', '.1234'),
    fc.constantFrom('Z', '+01:30', ''),
  )
  .map(([hours, minutes, seconds, part, offset]) => `T${hours}:${minutes}:${seconds}${part}${offset}`);

test('property: the instant of a text is that of the calendar', () => {
  fc.assert(
    fc.property(days, fc.oneof(fc.constant(''), times), fc.nat(30), fc.boolean(), (day, time, at, isBroken) => {
      const whole = `${day}${time}`;
      const text = isBroken ? `${whole.slice(0, at)}x${whole.slice(at + 1)}` : whole;
      expect([text, instantOf(text)]).toEqual([text, byDate(text)]);
    }),
    { numRuns: runs(20_000) },
  );
});
