import type { Slice } from '../../engine/slice.js';

/** What sites sell, and what their users hold because of it. */
export const paymentsSlices: readonly Slice[] = [];
