import { countOf, type Distinct, noneCounted, type Precision, withHashes } from '../../../kernel/distinct-count.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

export const devices = ['desktop', 'mobile', 'tablet', 'other'] as const;
export type Device = (typeof devices)[number];

/**
 * `visitor` is a hash that cannot be traced to a person after the day's salt is destroyed. `from` is the host of the
 * referring page, or `null`.
 */
export type Visit = readonly [visitor: string, path: string, from: string | null, device: Device];

/** The stream is `trafficVisits-<workspace>.<projectId>`. Its events are deleted when their day is summed up. */
export type VisitsEvent = DomainEvent<
  'VisitsCounted',
  { readonly projectId: string; readonly day: string; readonly visits: readonly Visit[] }
>;

/** The stream is `traffic-<workspace>.<projectId>`. */
export type TrafficEvent =
  /** `since` is the time of the first visit ever counted, in ISO 8601. */
  | DomainEvent<
      'TrafficDaySummed',
      DaySum & { readonly projectId: string; readonly day: string; readonly since: string }
    >
  /** The sums of days in events up to and including `throughRevision` were removed at the end of their retention. */
  | DomainEvent<
      'TrafficForgotten',
      { readonly projectId: string; readonly since: string; readonly throughRevision: number }
    >;

export type RecordedTrafficEvent = Recorded<VisitsEvent | TrafficEvent>;

export const visitsCategory = 'trafficVisits';
export const trafficCategory = 'traffic';

/**
 * Pairs of a name and its views. They are stored as columns, because a thousand pairs would take twice as long to read.
 */
export interface TrafficColumns {
  /** Separated by line feeds. `views` has the same order. */
  readonly names: string;
  readonly views: readonly number[];
}

/** Paths and hosts beyond the first 1,000 of the day are counted together. */
export interface DaySum {
  readonly views: number;
  readonly visitors: number;
  readonly pages: TrafficColumns & { readonly visitors: readonly number[] };
  readonly otherPages: readonly [views: number, visitors: number];
  readonly referrers: TrafficColumns;
  readonly otherReferrers: number;
  readonly devices: Readonly<Partial<Record<Device, number>>>;
}

/**
 * A day that is not summed up yet. Hashes of visitors are stored so that repeated visits of a person count as one
 * visitor.
 */
export interface OpenDay extends Document, Omit<DaySum, 'visitors' | 'pages' | 'otherPages' | 'referrers'> {
  readonly projectId: string;
  /** In UTC, such as 2026-11-29. */
  readonly day: string;
  readonly visitors: Distinct;
  readonly pages: readonly (readonly [path: string, views: number, visitors: Distinct])[];
  readonly otherPages: readonly [views: number, visitors: Distinct];
  readonly referrers: readonly (readonly [host: string, views: number])[];
  /** Revisions of the day's first and last events in the stream of visits. */
  readonly first: number;
  readonly last: number;
}

export interface TrafficDay extends Document, DaySum {
  readonly projectId: string;
  readonly day: string;
  readonly at: string;
  readonly revision: number;
}

export interface TrafficSite extends Document {
  /** Time of the site's first visit ever, in ISO 8601. */
  readonly since: string;
}

/** Limits per site and day. */
export const mostPaths = 1_000;
const mostHosts = 1_000;
const ofSite: Precision = { exact: 2_000, registers: 16_384 };
const ofPage: Precision = { exact: 256, registers: 2_048 };

export const dayId = (projectId: string, day: string): string => `${projectId}.${day}`;

const emptyDay = {
  views: 0,
  visitors: noneCounted,
  pages: [],
  otherPages: [0, noneCounted],
  referrers: [],
  otherReferrers: 0,
  devices: {},
} as const satisfies Counters;

type Counters = Omit<OpenDay, keyof Document | 'projectId' | 'day' | 'first' | 'last'>;

/** Adds the visits to the day. Paths after the first 1,000, in the order of the log, are counted together. */
export function counted(before: Counters | undefined, visits: readonly Visit[]): Counters {
  const day: Counters = before ?? emptyDay;
  const pages = new Map(day.pages.map(([path, views, visitors]) => [path, { views, visitors }]));
  let other = { views: day.otherPages[0], visitors: day.otherPages[1] as Distinct };
  for (const [path, those] of Map.groupBy(visits, (visit) => visit[1])) {
    const hashes = those.map(([visitor]) => visitor);
    const more = ({ views, visitors }: typeof other) => ({
      views: views + those.length,
      visitors: withHashes(visitors, hashes, ofPage),
    });
    const known = pages.get(path);
    if (known !== undefined || pages.size < mostPaths)
      pages.set(path, more(known ?? { views: 0, visitors: noneCounted }));
    else other = more(other);
  }
  const referrers = new Map(day.referrers);
  let { otherReferrers } = day;
  const devices = { ...day.devices };
  for (const [, , from, device] of visits) {
    devices[device] = (devices[device] ?? 0) + 1;
    if (from === null) continue;
    if (referrers.has(from) || referrers.size < mostHosts) referrers.set(from, (referrers.get(from) ?? 0) + 1);
    else otherReferrers += 1;
  }
  return {
    views: day.views + visits.length,
    visitors: withHashes(
      day.visitors,
      visits.map(([visitor]) => visitor),
      ofSite,
    ),
    pages: [...pages].map(([path, { views, visitors }]) => [path, views, visitors] as const),
    otherPages: [other.views, other.visitors],
    referrers: [...referrers],
    otherReferrers,
    devices,
  };
}

export function sumOf({ views, visitors, pages, otherPages, referrers, otherReferrers, devices }: Counters): DaySum {
  return {
    views,
    visitors: countOf(visitors),
    pages: { ...columnsOf(pages), visitors: pages.map(([, , seen]) => countOf(seen)) },
    otherPages: [otherPages[0], countOf(otherPages[1])],
    referrers: columnsOf(referrers),
    otherReferrers,
    devices,
  };
}

const columnsOf = (
  lines: readonly (readonly [name: string, views: number, ...more: readonly unknown[]])[],
): TrafficColumns => ({
  names: lines.map(([name]) => name).join('\n'),
  views: lines.map(([, views]) => views),
});
