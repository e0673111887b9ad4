import type { Slice } from '../../engine/slice.js';

/** Users of sites: their records, roles, sign-in and mail about it. */
export const appUsersSlices: readonly Slice[] = [];
