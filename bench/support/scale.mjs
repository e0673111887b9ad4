/** With BENCH_SMOKE=1 each bench runs in its minimal form, only to test the bench itself. Its figures mean nothing. */
const smoke = process.env['BENCH_SMOKE'] === '1';

/** The full number, amount or duration of a measurement, or the least in a smoke test. */
export const scaled = (full, least = 1) => (smoke ? least : full);
