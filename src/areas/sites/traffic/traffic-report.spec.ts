import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { counted, type DaySum, sumOf, type Visit } from './traffic.record.js';
import { daysUntil, tallyOf, trafficOf } from './traffic-report.js';

const visits = fc.array(
  fc.tuple(
    fc.nat({ max: 5 }).map((n) => `visitor${n}`),
    fc.nat({ max: 30 }).map((n) => `/p${n}`),
    fc.option(fc.nat({ max: 20 }).map((n) => `r${n}.example`)),
    fc.constantFrom('desktop' as const, 'mobile' as const),
  ),
  { maxLength: 60 },
);
const days = daysUntil('2026-03-02', 7);
const views = (all: readonly Visit[], at: 1 | 2) => {
  const counts = new Map<string, number>();
  for (const visit of all) if (visit[at] !== null) counts.set(visit[at], (counts.get(visit[at]) ?? 0) + 1);
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, 10);
};

describe('traffic', () => {
  it('covers the given number of days in UTC, over the end of a month', () => {
    expect(days).toEqual(
      ['24', '25', '26', '27', '28'].map((day) => `2026-02-${day}`).concat('2026-03-01', '2026-03-02'),
    );
  });

  it('sums the visits of the days, however the days are divided', () => {
    fc.assert(
      fc.property(fc.array(visits, { minLength: 7, maxLength: 7 }), fc.nat({ max: 7 }), (all, split) => {
        const sums = days.map((day, at): [string, DaySum] => [day, sumOf(counted(undefined, all[at] ?? []))]);
        const traffic = trafficOf(days, [tallyOf(sums.slice(0, split)), tallyOf(sums.slice(split))]);
        const flat = all.flat();
        expect(traffic.views).toBe(flat.length);
        expect(traffic.series).toEqual(
          days.map((day, at) => ({
            day,
            views: all[at]?.length,
            visitors: new Set(all[at]?.map(([visitor]) => visitor)).size,
          })),
        );
        expect(traffic.pages.map(({ path, views }) => [path, views])).toEqual(views(flat, 1));
        expect(traffic.referrers.map(({ host, views }) => [host, views])).toEqual(views(flat, 2));
        expect(traffic.devices.reduce((sum, { views }) => sum + views, 0)).toBe(flat.length);
      }),
    );
  });

  it('does not depend on how visits were collected', () => {
    fc.assert(
      fc.property(visits, fc.nat({ max: 60 }), (all, at) => {
        const together = sumOf(counted(undefined, all));
        expect(sumOf(counted(counted(undefined, all.slice(0, at)), all.slice(at)))).toEqual(together);
      }),
    );
  });
});
