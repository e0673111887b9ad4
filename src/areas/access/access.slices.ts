import type { Slice } from '../../engine/slice.js';

/** Who is let in where: policies, rules, and the one judge of both. */
export const accessSlices: readonly Slice[] = [];
