import { countInHour, type Hour, isGoingOn } from './mail.record.js';

export const noHour: Hour = { startedAt: null, count: 0 };

/**
 * Returns `hour` with `size` more recipients, or a new hour if it has ended. Returns undefined if the limit would be
 * exceeded.
 */
export function reserveQuota(hour: Hour, size: number, limit: number, now: number): Hour | undefined {
  const count = countInHour(hour, now) + size;
  if (count > limit) return undefined;
  const startedAt = isGoingOn(hour, now) ? hour.startedAt : new Date(now).toISOString();
  return { startedAt, count };
}

/** Returns the hour with `size` fewer recipients, or undefined if another hour has begun since. */
export function giveBack(hour: Hour, taken: Pick<Hour, 'startedAt'>, size: number): Hour | undefined {
  if (hour.startedAt !== taken.startedAt) return undefined;
  const count = Math.max(0, hour.count - size);
  return count === 0 ? noHour : { ...hour, count };
}
