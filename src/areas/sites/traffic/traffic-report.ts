import { type DaySum, devices } from './traffic.record.js';

const dayMs = 86_400_000;
const most = 10;
/** Paths begin with a slash, and no host has parentheses. */
const others = '(other)';

/** So many days up to this one, the earliest first. */
export function daysUntil(last: string, count: number): readonly string[] {
  const end = Date.parse(last);
  return Array.from({ length: count }, (_, at) => new Date(end - (count - 1 - at) * dayMs).toISOString().slice(0, 10));
}

interface Counts {
  views: number;
  visitors: number;
}

/** Days without a visit are not in `sums`. */
export function trafficOf(days: readonly string[], sums: ReadonlyMap<string, DaySum>) {
  const series = days.map((day) => {
    const { views = 0, visitors = 0 } = sums.get(day) ?? {};
    return { day, views, visitors };
  });
  const [pages, referrers, byDevice] = [
    new Map<string, Counts>(),
    new Map<string, Counts>(),
    new Map<string, number>(),
  ];
  for (const day of days) {
    const sum = sums.get(day);
    if (sum === undefined) continue;
    for (const [path, views, visitors] of sum.pages) add(pages, path, views, visitors);
    add(pages, others, ...sum.otherPages);
    for (const [host, views] of sum.referrers) add(referrers, host, views, 0);
    add(referrers, others, sum.otherReferrers, 0);
    for (const [device, views] of Object.entries(sum.devices))
      byDevice.set(device, (byDevice.get(device) ?? 0) + views);
  }
  return {
    views: total(series, 'views'),
    visitors: total(series, 'visitors'),
    series,
    pages: topOf(pages).map(([path, counts]) => ({ path, ...counts })),
    referrers: topOf(referrers).map(([host, { views }]) => ({ host, views })),
    devices: devices.flatMap((device) => {
      const views = byDevice.get(device);
      return views === undefined ? [] : [{ device, views }];
    }),
  };
}

function add(to: Map<string, Counts>, name: string, views: number, visitors: number): void {
  const known = to.get(name);
  if (known === undefined) to.set(name, { views, visitors });
  else {
    known.views += views;
    known.visitors += visitors;
  }
}

/** Most views first, ties by name, so that the answer is the same however often it is asked for. */
function topOf(counts: ReadonlyMap<string, Counts>): readonly (readonly [string, Counts])[] {
  return [...counts]
    .filter(([, { views }]) => views > 0)
    .sort(([one, a], [other, b]) => b.views - a.views || (one < other ? -1 : 1))
    .slice(0, most);
}

const total = (series: readonly Counts[], of: keyof Counts): number => series.reduce((sum, one) => sum + one[of], 0);
