import type { Duty } from './lease-keeper.js';

/** Timed work is done by one process: every timer asks whether this process has the duty. */
export const schedulerDuty: Duty = {
  name: 'scheduler',
  start: async () => undefined,
  stop: async () => undefined,
};
