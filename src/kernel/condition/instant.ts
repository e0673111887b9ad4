const form =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d))?$/;
const dash = 45;
const dot = 46;
const colon = 58;
const zero = 48;
const letterT = 84;
const letterZ = 90;
const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const dayMs = 86_400_000;

/**
 * Accepts an ISO 8601 date (midnight UTC) or a date-time with offset. Returns milliseconds, or undefined for any other
 * text. Date.parse alone would accept 30 February as a day in March, and would read times without offset in this
 * machine's zone.
 */
export function instantOf(text: string): number | undefined {
  // A quick exit, because this is called for every compared text and most are not dates.
  if (text.length < 10 || text.charCodeAt(4) !== dash) return undefined;
  const day = dayOf(text);
  if (day === undefined || text.length === 10) return day;
  const isUtc = text.charCodeAt(text.length - 1) === letterZ && (text.length === 20 || text.length === 24);
  if (isUtc) return timeOf(text, day);
  return form.test(text) ? Date.parse(text) : undefined;
}

/** Hand-written for speed, because every date comparison needs it. */
function dayOf(text: string): number | undefined {
  if (text.charCodeAt(7) !== dash) return undefined;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  // A character that is not a digit makes the number NaN, which fails all of these comparisons.
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1)) return undefined;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day > (daysOf[month - 1] ?? 0) + (month === 2 && isLeap ? 1 : 0)) return undefined;
  return daysSince1970(year, month, day) * dayMs;
}

/** Years are counted from 1 March, so that a leap day is the last day of a year. */
function daysSince1970(year: number, month: number, day: number): number {
  const march = month > 2 ? year : year - 1;
  const century = Math.floor(march / 400);
  const ofCentury = march - century * 400;
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const days = ofCentury * 365 + Math.floor(ofCentury / 4) - Math.floor(ofCentury / 100) + ofYear;
  return century * 146_097 + days - 719_468;
}

function timeOf(text: string, day: number): number | undefined {
  if (text.charCodeAt(10) !== letterT || text.charCodeAt(13) !== colon || text.charCodeAt(16) !== colon)
    return undefined;
  const hours = twoDigits(text, 11);
  const minutes = twoDigits(text, 14);
  const seconds = twoDigits(text, 17);
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return undefined;
  const whole = day + hours * 3_600_000 + minutes * 60_000 + seconds * 1_000;
  if (text.length === 20) return whole;
  const milliseconds = 10 * twoDigits(text, 20) + digit(text, 22);
  return text.charCodeAt(19) === dot && milliseconds >= 0 ? whole + milliseconds : undefined;
}

const twoDigits = (text: string, at: number): number => 10 * digit(text, at) + digit(text, at + 1);

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - zero;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}
