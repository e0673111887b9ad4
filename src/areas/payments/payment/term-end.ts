import type { intervals } from '../offer/offer-terms.api.js';

const dayMs = 24 * 3_600_000;

/** Uses UTC. One month after January 31 is the last day of February. */
export function after(at: string, count: number, unit: (typeof intervals)[number]): string {
  const start = new Date(at);
  if (unit === 'day' || unit === 'week') return iso(start.getTime() + count * (unit === 'week' ? 7 : 1) * dayMs);
  const months = start.getUTCMonth() + count * (unit === 'year' ? 12 : 1);
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), months + 1, 0)).getUTCDate();
  const end = new Date(start);
  end.setUTCDate(1);
  end.setUTCMonth(months);
  end.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  return iso(end.getTime());
}

/** The latest time returned. Its year has four digits, so that times can be compared as texts. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const iso = (ms: number) => new Date(Number.isNaN(ms) ? lastInstant : Math.min(ms, lastInstant)).toISOString();
