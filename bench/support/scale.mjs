/** BENCH_SMOKE=1: each bench runs with the least that goes through all of it, to see that it works; its figures mean nothing. */
const smoke = process.env['BENCH_SMOKE'] === '1';

/** How many, how much or how long: the measure's own, or the least of it. */
export const scaled = (full, least = 1) => (smoke ? least : full);
