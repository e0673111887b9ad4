const form =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d))?$/;
const dash = '-'.charCodeAt(0);

/**
 * Milliseconds of an ISO 8601 date (midnight UTC) or date-time with offset; undefined for any other text. Date.parse alone
 * would accept a 30th of February as a day in March and read times without offset in this machine's zone.
 */
export function instantOf(text: string): number | undefined {
  // A quick exit: this is called for every compared text, and most are not dates.
  if (text.length < 10 || text.charCodeAt(4) !== dash) return undefined;
  return form.test(text) && isDayOfItsMonth(text) ? Date.parse(text) : undefined;
}

function isDayOfItsMonth(text: string): boolean {
  const day = Number(text.slice(8, 10));
  return day <= 28 || new Date(Date.parse(text.slice(0, 10))).getUTCDate() === day;
}
