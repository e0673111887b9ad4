import { countInHour, type Hour, isGoingOn } from './mail.record.js';

export const noHour: Hour = { startedAt: null, count: 0 };

/** The hour after taking places in it or in a new one. Undefined: there are not enough left. */
export function takePlaces(hour: Hour, size: number, limit: number, now: number): Hour | undefined {
  const count = countInHour(hour, now) + size;
  if (count > limit) return undefined;
  const startedAt = isGoingOn(hour, now) ? hour.startedAt : new Date(now).toISOString();
  return { startedAt, count };
}

/** Places go back to the hour they were taken from. Undefined: that hour is over, or another one began. */
export function giveBack(hour: Hour, taken: Pick<Hour, 'startedAt'>, size: number): Hour | undefined {
  if (hour.startedAt !== taken.startedAt) return undefined;
  const count = Math.max(0, hour.count - size);
  return count === 0 ? noHour : { ...hour, count };
}
