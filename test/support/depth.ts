/** Whether less than everything is tried, so that `npm test` ends soon. */
export const isShallow = process.env['TEST_TIER'] === 'first' && process.env['TEST_DEPTH'] !== 'full';

/** How many cases of a property are tried: all, but in `npm test` a tenth of them, others each time. */
export const runs = (all: number): number => (isShallow ? Math.ceil(all / 10) : all);

/** All of these cases, but in `npm test` the first few, which stand for the rest. */
export const cases = <Case>(few: number, all: readonly Case[]): readonly Case[] =>
  isShallow ? all.slice(0, few) : all;
