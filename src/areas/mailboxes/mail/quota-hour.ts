import { countInHour, type Hour, isGoingOn } from './mail.record.js';

export const noHour: Hour = { startedAt: null, count: 0 };

/** Starts a new hour if `hour` has ended. Returns undefined if the limit would be exceeded. */
export function reserveQuota(hour: Hour, size: number, limit: number, now: number): Hour | undefined {
  const count = countInHour(hour, now) + size;
  if (count > limit) return undefined;
  const startedAt = isGoingOn(hour, now) ? hour.startedAt : new Date(now).toISOString();
  return { startedAt, count };
}

/** Returns undefined if another hour has begun since the quota was reserved. */
export function giveBack(hour: Hour, taken: Pick<Hour, 'startedAt'>, size: number): Hour | undefined {
  if (hour.startedAt !== taken.startedAt) return undefined;
  const count = Math.max(0, hour.count - size);
  return count === 0 ? noHour : { ...hour, count };
}
