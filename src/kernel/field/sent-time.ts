import { instantOf } from '../condition/instant.js';
import { refuseInput } from './refuse-input.js';

/**
 * Returns the form in which times are stored and compared. Its year has four digits, so a time whose UTC year is not
 * within 0000 to 9999 is refused.
 * @throws Refusal invalid-input
 */
export function timeOf(path: string, text: string): string {
  const instant = instantOf(text);
  const time = instant === undefined ? '' : new Date(instant).toISOString();
  if (time.length === '0000-00-00T00:00:00.000Z'.length) return time;
  return refuseInput([{ path, message: 'must be an ISO 8601 date, or a date-time with its offset' }]);
}
