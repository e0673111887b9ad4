import { countInHour, type Hour, isGoingOn } from './mail.record.js';

export const noHour: Hour = { startedAt: null, count: 0 };

/**
 * Returns the hour after counting recipients in it or in a new one. Returns undefined if the remaining quota is too
 * small.
 */
export function takePlaces(hour: Hour, size: number, limit: number, now: number): Hour | undefined {
  const count = countInHour(hour, now) + size;
  if (count > limit) return undefined;
  const startedAt = isGoingOn(hour, now) ? hour.startedAt : new Date(now).toISOString();
  return { startedAt, count };
}

/** Returns the hour after returning unused quota, or undefined if the hour is over or another one has begun. */
export function giveBack(hour: Hour, taken: Pick<Hour, 'startedAt'>, size: number): Hour | undefined {
  if (hour.startedAt !== taken.startedAt) return undefined;
  const count = Math.max(0, hour.count - size);
  return count === 0 ? noHour : { ...hour, count };
}
