import { type DaySum, devices, type TrafficColumns } from './traffic.record.js';

const dayMs = 86_400_000;
const most = 10;
/**
 * Name for all paths or hosts beyond the limits. It cannot be a path, because it has no leading slash, nor a host,
 * because of the parentheses.
 */
const others = '(other)';

interface Counts {
  views: number;
  visitors: number;
}

type Named = Map<string, Counts>;

export interface TrafficTally {
  readonly days: ReadonlyMap<string, Readonly<Counts>>;
  readonly pages: ReadonlyMap<string, Readonly<Counts>>;
  readonly referrers: ReadonlyMap<string, Readonly<Counts>>;
  readonly devices: ReadonlyMap<string, Readonly<Counts>>;
}

/** Earliest first, ending with `last`. */
export function daysUntil(last: string, count: number): readonly string[] {
  const end = Date.parse(last);
  return Array.from({ length: count }, (_, at) => new Date(end - (count - 1 - at) * dayMs).toISOString().slice(0, 10));
}

export function tallyOf(sums: Iterable<readonly [day: string, sum: DaySum]>): TrafficTally {
  const [days, pages, referrers, byDevice]: [Named, Named, Named, Named] = [new Map(), new Map(), new Map(), new Map()];
  for (const [day, sum] of sums) {
    add(days, day, sum.views, sum.visitors);
    addAll(pages, sum.pages, sum.pages.visitors);
    add(pages, others, ...sum.otherPages);
    addAll(referrers, sum.referrers);
    add(referrers, others, sum.otherReferrers, 0);
    for (const [device, views] of Object.entries(sum.devices)) add(byDevice, device, views, 0);
  }
  return { days, pages, referrers, devices: byDevice };
}

export function trafficOf(days: readonly string[], tallies: readonly TrafficTally[]) {
  const series = days.map((day) => ({
    day,
    ...sumIn(
      day,
      tallies.map((tally) => tally.days),
    ),
  }));
  const byDevice = tallies.map((tally) => tally.devices);
  return {
    views: series.reduce((sum, { views }) => sum + views, 0),
    visitors: series.reduce((sum, { visitors }) => sum + visitors, 0),
    series,
    pages: topOf(tallies.map(({ pages }) => pages)).map(([path, counts]) => ({ path, ...counts })),
    referrers: topOf(tallies.map(({ referrers }) => referrers)).map(([host, { views }]) => ({ host, views })),
    devices: devices.flatMap((device) => {
      const { views } = sumIn(device, byDevice);
      return views === 0 ? [] : [{ device, views }];
    }),
  };
}

function addAll(to: Named, { names, views }: TrafficColumns, visitors: readonly number[] = []): void {
  if (views.length === 0) return;
  for (const [at, name] of names.split('\n').entries()) add(to, name, views[at] ?? 0, visitors[at] ?? 0);
}

function add(to: Named, name: string, views: number, visitors: number): void {
  const known = to.get(name);
  if (known === undefined) to.set(name, { views, visitors });
  else {
    known.views += views;
    known.visitors += visitors;
  }
}

function sumIn(name: string, maps: readonly ReadonlyMap<string, Counts>[]): Counts {
  const sum = { views: 0, visitors: 0 };
  for (const map of maps) {
    const { views = 0, visitors = 0 } = map.get(name) ?? {};
    sum.views += views;
    sum.visitors += visitors;
  }
  return sum;
}

/** Equal numbers are sorted by name, so that the result is deterministic. */
function topOf(maps: readonly ReadonlyMap<string, Counts>[]): readonly (readonly [string, Counts])[] {
  const top: (readonly [string, Counts])[] = [];
  for (const [at, map] of maps.entries()) {
    const before = maps.slice(0, at);
    for (const name of map.keys()) {
      if (before.some((one) => one.has(name))) continue;
      const counts = sumIn(name, maps);
      const last = top[most - 1];
      if (counts.views === 0 || (last !== undefined && comesBefore(last, [name, counts]))) continue;
      top.push([name, counts]);
      top.sort((one, other) => (comesBefore(one, other) ? -1 : 1));
      top.length = Math.min(top.length, most);
    }
  }
  return top;
}

const comesBefore = ([one, a]: readonly [string, Counts], [other, b]: readonly [string, Counts]): boolean =>
  a.views > b.views || (a.views === b.views && one < other);
