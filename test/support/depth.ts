/** Whether to run only a part of the cases, so that `npm test` ends soon. */
export const isShallow = process.env['TEST_TIER'] === 'first' && process.env['TEST_DEPTH'] !== 'full';

/** Returns the number of runs of a property: all of them or, in `npm test`, a tenth, with other values each time. */
export const runs = (all: number): number => (isShallow ? Math.ceil(all / 10) : all);

/** Returns all of these cases or, in `npm test`, only the first few. */
export const cases = <Case>(few: number, all: readonly Case[]): readonly Case[] =>
  isShallow ? all.slice(0, few) : all;

const first = Math.floor(Math.random() * 1_000);

/** Returns all of these cases or, in `npm test`, one in `share` of them, with other cases each time. */
export const oneIn = <Case>(share: number, all: readonly Case[]): readonly Case[] =>
  isShallow ? all.filter((_, at) => (first + at) % share === 0) : all;
